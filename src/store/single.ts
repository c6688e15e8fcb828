import { type Database, query } from '../base/transaction.ts';
import { anyText } from './before.ts';
import { scopeNumber, singles, type SingleScope } from './batch.ts';
import { integer, optionalText, text, word } from './columns.ts';
import { lease, shortHash } from './schema.ts';

const tenMinutes = 10 * 60_000;

export interface Single {
  readonly scope: SingleScope;
  readonly phone: string;
  readonly body: string;
  readonly isAgain: boolean;
  readonly worker: string;
  readonly now: number;
}

export type Admitted =
  | {
      readonly kind: 'admitted';
      readonly claim: { readonly n: number; readonly attempt: number; readonly text: string };
    }
  | { readonly kind: 'opted out' }
  /** The same text: under way, unsure, or sent a short time ago. */
  | {
      readonly kind: 'got it before';
      readonly state: 'under way' | 'unsure' | 'sent';
      readonly at: number;
      /** The name of the batch; undefined for a single message. */
      readonly by: string | undefined;
      /** The process that has it under way. */
      readonly worker: string | undefined;
    };

// Rows under way are unsure once their process is dead.
const state = `CASE WHEN o.state = 'under way'
  AND NOT (COALESCE(b.until, 0) > $4 OR (o.batch = '${singles}' AND o.at > $4 - ${lease})) THEN 'unsure' ELSE o.state END`;
// Milder than `verdict` in before.ts.
const gotBefore = `SELECT ${state} AS state, o.at, b.name, COALESCE(o.worker, b.worker) AS worker FROM item o LEFT JOIN batch b ON b.id = o.batch
  WHERE o.scope = $1 AND o.who = $2 AND ((o.text = $3 AND (o.state IN ('under way', 'unsure')
      OR (o.state = 'sent' AND o.by IS NULL AND $4 - o.at <= CASE WHEN o.batch = '${singles}' THEN ${tenMinutes} ELSE ${anyText} END)))
    OR (o.sent_text = $3 AND $4 - o.sent_at <= ${anyText})) ORDER BY o.at DESC LIMIT 1`;

/** Claims a single message. It is settled as a row of the batch ''. */
export function admitSingle(database: Database, single: Single): Promise<Admitted> {
  const { scope, phone, body, worker, now } = single;
  const hash = shortHash(body);
  return database.write(function* () {
    const optOut = 'SELECT 1 FROM opt_out WHERE account = $1 AND phone = $2';
    if ((yield* query(optOut, scope.account, phone)).length > 0) return { kind: 'opted out' };
    const number = yield* scopeNumber(scope);
    const asks = scope.mode === 'live' && !single.isAgain;
    const [got] = asks ? yield* query(gotBefore, number, phone, hash, now) : [];
    if (got) {
      const state = word(got, 'state', ['under way', 'unsure', 'sent']);
      const by = optionalText(got, 'name');
      return { kind: 'got it before', state, at: integer(got, 'at'), by, worker: optionalText(got, 'worker') };
    }
    const [row] = yield* query(insert, number, phone, body, hash, now, worker);
    return { kind: 'admitted', claim: { n: integer(row, 'n'), attempt: 1, text: text(row, 'text') } };
  });
}

const insert = `INSERT INTO item (batch, n, scope, who, per, body, text, line, load, state, at, attempt, worker)
  SELECT '${singles}', COALESCE(MAX(n), 0) + 1, $1, $2, '', $3, $4, 0, 0, 'under way', $5, 1, $6
  FROM item WHERE batch = '${singles}' RETURNING n, text`;
