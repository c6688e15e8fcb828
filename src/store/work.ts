import { unsafe } from '../base/errors.ts';
import { type Database, query, type Row } from '../base/transaction.ts';
import { type Batch, batchWithId, singles } from './batch.ts';
import { outcomeOf, parameters, verdict } from './before.ts';
import { integer, optionalText, type Steps, text, word } from './columns.ts';
import { flags, type Resend } from './decide.ts';
import { lease } from './schema.ts';

/** Extends the lease of a worker. Fails if it has lost the batch. */
export function* hold(id: string, worker: string, now: number): Steps<void> {
  const sql = 'UPDATE batch SET until = $3 WHERE id = $1 AND worker = $2 AND until > $4 RETURNING id';
  const rows = yield* query(sql, id, worker, now + lease, now);
  if (rows.length === 0)
    throw unsafe('batch-taken', 'this process was silent for too long and has lost its batch', 'repeat the command');
}

/** Shows that a worker is alive, also while it waits. */
export function beat(database: Database, id: string, worker: string, now: number): Promise<void> {
  return database.write(() => hold(id, worker, now));
}

/** Ends the lease of a worker that was found dead. */
export function declareDead(database: Database, id: string, worker: string): Promise<void> {
  return database.write(function* () {
    yield* query('UPDATE batch SET until = 0 WHERE id = $1 AND worker = $2', id, worker);
  });
}

/** Rows that a process left under way are unsure. */
export const leftUnderWay = "UPDATE item SET state = 'unsure', reason = NULL WHERE batch = $1 AND state = 'under way'";

/** Ends the work of a process on a batch. */
export function release(database: Database, id: string, worker: string, now: number): Promise<void> {
  return database.write(function* () {
    const sql = "UPDATE batch SET worker = '', until = 0, last_at = $3 WHERE id = $1 AND worker = $2 RETURNING id";
    if ((yield* query(sql, id, worker, now)).length === 0) return;
    yield* query(leftUnderWay, id);
  });
}

export interface Claiming {
  readonly id: string;
  readonly worker: string;
  /** Whether only rows of the file are sent: a resume sends all that wait. */
  readonly isOfFile: boolean;
  readonly resend: readonly Resend[];
  /** Whether `--first` is reached: only rows of `--resend` are sent. */
  readonly isFull?: boolean;
  /** The number of the last row that was looked at. */
  readonly after: number;
  /** The highest number to look at, to claim a row again. */
  readonly upTo?: number;
  readonly now: number;
}

export type Claim = Readonly<ReturnType<typeof claimOf>>;

const states = ['waiting', 'sent', 'unsure'] as const;

const candidates = `SELECT i.n, i.who, i.per, i.body, i.line, i.state, i.attempt,
  CASE WHEN i.state = 'sent' THEN i.told ELSE i.text END AS text,
  ${verdict('i', { isClaim: true, text: "(CASE WHEN i.state = 'sent' THEN i.told ELSE i.text END)" })} AS verdict
  FROM item i WHERE i.batch = $1 AND i.n > $9 AND i.n <= $10 AND (i.load = $11 OR $11 = 0) AND ((i.state = 'waiting' AND $14 = 0)
    OR (i.state = 'unsure' AND i.told = 'resend' AND $12 = 1) OR (i.state = 'sent' AND i.reason = 'resend' AND $13 = 1))
  ORDER BY i.n LIMIT 1`;

// While a row is under way, its reason is what it was.
const take = `UPDATE item SET attempt = attempt + 1, at = $3, told = NULL,
  sent_text = CASE WHEN state = 'sent' THEN text ELSE sent_text END,
  sent_at = CASE WHEN state = 'sent' THEN at ELSE sent_at END,
  reason = CASE WHEN state = 'waiting' THEN NULL ELSE state END,
  text = $4, state = 'under way' WHERE batch = $1 AND n = $2`;

const giveUp = `UPDATE item SET state = $3, reason = $4, by = $5, at = $6, text = COALESCE($7, text)
  WHERE batch = $1 AND n = $2`;

/**
 * Takes the next row of a batch that no other process has; `row` is undefined if none is left, `after` is the last number
 * that was looked at, and another process has the rows of `--resend` in `skipped`.
 */
export function claim(database: Database, claiming: Claiming) {
  return database.write(function* () {
    yield* hold(claiming.id, claiming.worker, claiming.now);
    const batch = yield* batchWithId(claiming.id);
    if (!batch || batch.isCancelled) return { kind: 'cancelled' } as const;
    const skipped: number[] = [];
    for (let { after } = claiming; ;) {
      const [row] = yield* candidateAfter(batch, claiming, after);
      if (!row) return { kind: 'claimed', row: undefined, skipped, after } as const;
      after = integer(row, 'n');
      const answer = optionalText(row, 'verdict');
      if (answer === undefined) return { kind: 'claimed', row: yield* takeRow(claiming, row), skipped, after } as const;
      if (word(row, 'state', states) === 'waiting') yield* leave(claiming, row, answer);
      else skipped.push(after);
    }
  });
}

function candidateAfter(batch: Batch, claiming: Claiming, after: number): Steps<readonly Row[]> {
  const { now, upTo = Number.MAX_SAFE_INTEGER, isOfFile, resend } = claiming;
  const [, unsure, changed] = flags(resend);
  const asked = parameters({ batch, now, excludedBy: [batch.id, batch.id] });
  const load = isOfFile ? batch.load : 0;
  return query(candidates, ...asked, after, upTo, load, unsure, changed, claiming.isFull ? 1 : 0);
}

function* takeRow({ id, now }: Claiming, row: Row): Steps<Claim> {
  const claimed = claimOf(row);
  yield* query(take, id, claimed.n, now, claimed.text);
  return claimed;
}

function claimOf(row: Row) {
  return {
    n: integer(row, 'n'),
    who: text(row, 'who'),
    per: text(row, 'per'),
    body: text(row, 'body'),
    text: text(row, 'text'),
    line: integer(row, 'line'),
    /** The state before the claim. */
    was: word(row, 'state', states),
    attempt: integer(row, 'attempt') + 1,
  };
}

function* leave({ id, now }: Claiming, row: Row, answer: string): Steps<void> {
  const { state, reason, by, at = now, text = null } = outcomeOf(answer);
  yield* query(giveUp, id, integer(row, 'n'), state, reason, by, at, text);
}

export type Answer =
  | {
      readonly kind: 'sent';
      readonly messageId?: string | undefined;
      /** Whether the service had the contact before. */
      readonly knownAs?: string | undefined;
    }
  | { readonly kind: 'failed' | 'unsure'; readonly reason: string; readonly code: string }
  /** Nothing was sent: a full plan, or a fault before the first byte. */
  | { readonly kind: 'again' };

export interface Settling {
  /** '' for single messages. */
  readonly batch: string;
  readonly worker: string;
  readonly claim: Pick<Claim, 'n' | 'attempt' | 'text'>;
  readonly answer: Answer;
  readonly now: number;
}

/** The new state of a row; `late` if another process has taken it. */
export type Settled = 'sent' | 'failed' | 'unsure' | 'waiting' | 'kept' | 'late';

const mine = "batch = $1 AND n = $2 AND state = 'under way' AND attempt = $3";

// A contact's data need not be kept once it is created.
const isImport = "(SELECT k.kind FROM scope k WHERE k.n = item.scope) = 'import'";

const settlements = {
  sent: `UPDATE item SET state = 'sent', reason = $6, by = NULL, told = NULL, code = NULL, at = $3, message_id = $4,
    sent_text = CASE WHEN state = 'sent' AND text <> $5 THEN text ELSE sent_text END,
    sent_at = CASE WHEN state = 'sent' AND text <> $5 THEN at ELSE sent_at END, text = $5,
    body = CASE WHEN ${isImport} THEN NULL ELSE body END, cells = CASE WHEN ${isImport} THEN NULL ELSE cells END
    WHERE batch = $1 AND n = $2`,
  // A refused new text leaves a sent row sent, and an unsure row unsure.
  failed: `UPDATE item SET state = COALESCE(reason, 'failed'), reason = CASE WHEN reason IS NULL THEN $5 ELSE 'refused' END,
    code = $6, at = CASE WHEN reason = 'sent' THEN sent_at ELSE $4 END,
    told = CASE WHEN reason = 'sent' THEN text ELSE told END, text = CASE WHEN reason = 'sent' THEN sent_text ELSE text END,
    body = CASE WHEN reason = 'sent' THEN NULL ELSE body END,
    sent_text = CASE WHEN reason = 'sent' THEN NULL ELSE sent_text END,
    sent_at = CASE WHEN reason = 'sent' THEN NULL ELSE sent_at END
    WHERE ${mine} RETURNING state, reason`,
  unsure: `UPDATE item SET state = 'unsure', at = $4, reason = $5, code = $6 WHERE ${mine} RETURNING state, reason`,
  again: `UPDATE item SET state = COALESCE(reason, 'waiting'), reason = CASE WHEN reason = 'sent' THEN 'resend' END,
    at = CASE WHEN reason = 'sent' THEN sent_at ELSE at END,
    told = CASE reason WHEN 'sent' THEN text WHEN 'unsure' THEN 'resend' ELSE told END,
    text = CASE WHEN reason = 'sent' THEN sent_text ELSE text END,
    sent_text = CASE WHEN reason = 'sent' THEN NULL ELSE sent_text END,
    sent_at = CASE WHEN reason = 'sent' THEN NULL ELSE sent_at END
    WHERE ${mine} RETURNING state, reason`,
};

// A single message that was not sent has no row.
const forget = `DELETE FROM item WHERE ${mine} RETURNING 'waiting' AS state`;

/** Writes an answer. One that says the message was accepted always wins; any other needs the lease. */
export function settle(database: Database, settling: Settling): Promise<Settled> {
  const { batch, worker, claim, now, answer } = settling;
  return database.write(function* () {
    if (answer.kind === 'sent') {
      const { messageId = null, knownAs = null } = answer;
      yield* query(settlements.sent, batch, claim.n, now, messageId, claim.text, knownAs);
      return 'sent';
    }
    if (batch !== singles && !(yield* holds(batch, worker, now))) return 'late';
    const [row] = yield* written(settling, answer);
    if (!row) return 'late';
    const state = word(row, 'state', ['sent', 'failed', 'unsure', 'waiting']);
    return state === 'sent' ? 'kept' : state;
  });
}

function* holds(id: string, worker: string, now: number): Steps<boolean> {
  const sql = 'SELECT 1 FROM batch WHERE id = $1 AND worker = $2 AND until > $3';
  return (yield* query(sql, id, worker, now)).length > 0;
}

function written(
  { batch, claim, now }: Settling,
  answer: Exclude<Answer, { readonly kind: 'sent' }>,
): Steps<readonly Row[]> {
  const { n, attempt } = claim;
  if (answer.kind === 'again' && batch === singles) return query(forget, batch, n, attempt);
  if (answer.kind === 'again') return query(settlements.again, batch, n, attempt);
  return query(settlements[answer.kind], batch, n, attempt, now, answer.reason, answer.code);
}
