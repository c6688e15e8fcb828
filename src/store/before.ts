import type { Value } from '../base/transaction.ts';
import { type Batch, singles } from './batch.ts';
import { hashLength, lease } from './schema.ts';

const hour = 3_600_000;
const sameText = 27 * 24 * hour;
/** Milliseconds for which a person who got another text is not sent this one. */
export const anyText = 20 * hour;

/** Why a row is not sent. The first four from the strongest, for MIN; the last two are asked before them. */
export const reasons = {
  same: '0',
  way: '1',
  unsure: '2',
  other: '3',
  optedOut: '4',
  excluded: '5',
} as const;

/** Where the time, the text and the name of the other batch begin in a verdict, counted from 1 as in SQL. */
export const timeAt = 2;
export const textAt = timeAt + 13;
export const nameAt = textAt + hashLength;

export interface Question {
  readonly batch: Pick<Batch, 'id' | 'scope' | 'scopeNumber' | 'againAt'>;
  readonly now: number;
  /** Batches whose excluded phones count. */
  readonly excludedBy: readonly [string, string];
}

/**
 * The parameters of `verdict`: $1 batch, $2 scope, $3 account whose opt-outs count, $4 when it was sent again, $5 now, $6 0
 * sandbox, 1 live, 2 import, $7 and $8 batches that exclude.
 */
export function parameters({ batch, now, excludedBy }: Question): readonly Value[] {
  const { account, kind, mode } = batch.scope;
  // With a sandbox key, a second message is only worth a note.
  const asks = kind === 'import' ? 2 : mode === 'live' ? 1 : 0;
  const optOuts = kind === 'message' ? account : '';
  return [batch.id, batch.scopeNumber, optOuts, batch.againAt, now, asks, ...excludedBy];
}

/**
 * SQL for why a row is not sent: a digit of `reasons`, and for the first four the time, text and batch of the other
 * message. NULL if it can be sent. Times of 13 digits make the smallest the earliest of the strongest reason.
 */
export function verdict(row: string, { isClaim, text = `${row}.text` }: { isClaim: boolean; text?: string }): string {
  const isSame = (other: string) => `${other} = ${text}`;
  // A row with a value counts a send without one only for the same text.
  const counts = (other: string) => `(${row}.per = '' OR ${row}.per = o.per OR (o.per = '' AND ${isSame(other)})) AND `;
  const isForGood = (at: string, other: string) =>
    `${at} >= $4 AND ($6 = 2 OR (${isSame(other)} AND $5 - ${at} <= ${sameText}))`;
  const isRecent = (at: string) => `${at} >= $4 AND $5 - ${at} <= ${anyText}`;
  const isOnItsWay = `(o.state = 'under way' AND (b.until > $5 OR (o.batch = '${singles}' AND o.at > $5 - ${lease}))
    ${isClaim ? '' : "OR o.state = 'waiting' AND b.until > $5"})`;
  const packed = (reason: keyof typeof reasons, at = 'o.at', other = 'o.text') =>
    `'${reasons[reason]}' || ${at} || ${other} || COALESCE(b.name, '')`;
  // With `o.batch <> $1`, SQLite would compile the statement again each time, to compare $1 with an index's condition.
  return `CASE
    WHEN EXISTS (SELECT 1 FROM opt_out p WHERE p.account = $3 AND p.phone = ${row}.who) THEN '${reasons.optedOut}'
    WHEN EXISTS (SELECT 1 FROM excluded e WHERE e.batch IN ($7, $8) AND e.phone = ${row}.who) THEN '${reasons.excluded}'
    WHEN $6 = 0 THEN NULL
    ELSE (SELECT MIN(CASE
      WHEN ${counts('o.text')} o.state = 'sent' AND o.by IS NULL AND ${isForGood('o.at', 'o.text')} THEN ${packed('same')}
      WHEN ${counts('o.sent_text')} ${isForGood('o.sent_at', 'o.sent_text')} THEN ${packed('same', 'o.sent_at', 'o.sent_text')}
      WHEN ${counts('o.text')} ${isOnItsWay} THEN ${packed('way')}
      WHEN ${counts('o.text')} o.state IN ('unsure', 'under way') AND o.at >= $4
        AND (${isSame('o.text')} OR $5 - o.at <= ${anyText}) THEN ${packed('unsure')}
      WHEN ${counts('o.text')} o.state = 'sent' AND o.by IS NULL AND ${isRecent('o.at')} THEN ${packed('other')}
      WHEN ${counts('o.sent_text')} ${isRecent('o.sent_at')} THEN ${packed('other', 'o.sent_at', 'o.sent_text')}
    END) FROM item o LEFT JOIN batch b ON b.id = o.batch
    WHERE o.scope = $2 AND o.who = ${row}.who AND $1 <> o.batch)
  END`;
}

/** The new fields of a row after a verdict. */
export interface Outcome {
  readonly state: 'waiting' | 'sent' | 'held' | 'not sent' | 'failed';
  readonly reason: string | null;
  readonly by: string | null;
  readonly at: number | undefined;
  /** The text that was sent instead, which may differ for an import. */
  readonly text: string | undefined;
}

const plain = { by: null, at: undefined, text: undefined };

export const unwanted = 'not in --where';
export const notWanted: Outcome = { state: 'not sent', reason: unwanted, ...plain };
/** The outcome of a row that could not be read, and that `--where` excluded then. */
export const unreadable: Outcome = { state: 'failed', reason: 'it cannot be read: load its file again', ...plain };

export function outcomeOf(verdict: string | undefined): Outcome {
  if (verdict === undefined) return { state: 'waiting', reason: null, ...plain };
  if (verdict === reasons.optedOut) return { state: 'not sent', reason: 'opted out', ...plain };
  if (verdict === reasons.excluded) return { state: 'not sent', reason: 'excluded', ...plain };
  const by = verdict.slice(nameAt - 1);
  const at = Number(verdict.slice(timeAt - 1, textAt - 1));
  const other = { by, at, text: verdict.slice(textAt - 1, nameAt - 1) };
  if (verdict.startsWith(reasons.same)) return { state: 'sent', reason: null, ...other };
  return { state: 'held', reason: heldReason(verdict), ...other, text: undefined };
}

function heldReason(verdict: string): string {
  if (verdict.startsWith(reasons.way)) return 'on its way';
  return verdict.startsWith(reasons.unsure) ? 'unsure elsewhere' : 'another text';
}
