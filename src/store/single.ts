import { type Database, query, type Row } from '../base/transaction.ts';
import { anyText } from './before.ts';
import { scopeNumber, singles, type SingleScope } from './batch.ts';
import { integer, optionalText, text, word } from './columns.ts';
import { shortHash } from './schema.ts';
import { shownState } from './views.ts';

const tenMinutes = 10 * 60_000;

export interface Single {
  readonly scope: SingleScope;
  readonly phone: string;
  readonly body: string;
  readonly isAgain: boolean;
  readonly worker: string;
  readonly now: number;
}

export type Admitted = Awaited<ReturnType<typeof admitSingle>>;

// Milder than `verdict` in before.ts.
const gotBefore = `SELECT ${shownState('o', '$4')} AS state, o.at, b.name, COALESCE(o.worker, b.worker) AS worker FROM item o LEFT JOIN batch b ON b.id = o.batch
  WHERE o.scope = $1 AND o.who = $2 AND ((o.text = $3 AND (o.state IN ('under way', 'unsure')
      OR (o.state = 'sent' AND o.by IS NULL AND $4 - o.at <= CASE WHEN o.batch = '${singles}' THEN ${tenMinutes} ELSE ${anyText} END)))
    OR (o.sent_text = $3 AND $4 - o.sent_at <= ${anyText})) ORDER BY o.at DESC LIMIT 1`;

/** Claims a single message. It is settled as a row of the batch ''. */
export function admitSingle(database: Database, single: Single) {
  const { scope, phone, body, worker, now } = single;
  const hash = shortHash(body);
  return database.write(function* () {
    const optOut = 'SELECT 1 FROM opt_out WHERE account = $1 AND phone = $2';
    if ((yield* query(optOut, scope.account, phone)).length > 0) return { kind: 'opted out' } as const;
    const number = yield* scopeNumber(scope);
    const asks = scope.mode === 'live' && !single.isAgain;
    const [earlier] = asks ? yield* query(gotBefore, number, phone, hash, now) : [];
    if (earlier) return earlierOf(earlier);
    const [row] = yield* query(insert, number, phone, body, hash, now, worker);
    return { kind: 'admitted', claim: { n: integer(row, 'n'), attempt: 1, text: text(row, 'text') } } as const;
  });
}

/** The same text: under way, unsure, or sent a short time ago. */
function earlierOf(row: Row) {
  return {
    kind: 'got it before',
    state: word(row, 'state', ['under way', 'unsure', 'sent']),
    at: integer(row, 'at'),
    /** The name of the batch; undefined for a single message. */
    by: optionalText(row, 'name'),
    /** The process that has it under way. */
    worker: optionalText(row, 'worker'),
  } as const;
}

const insert = `INSERT INTO item (batch, n, scope, who, per, body, text, line, load, state, at, attempt, worker)
  SELECT '${singles}', COALESCE(MAX(n), 0) + 1, $1, $2, '', $3, $4, 0, 0, 'under way', $5, 1, $6
  FROM item WHERE batch = '${singles}' RETURNING n, text`;
