import type { Input } from '../ledger/input.ts';
import { type Accepted, type Fate, fateAt } from '../ledger/ledger.ts';
import type { Amended, LogPart, ResolvedRow, RunLog } from './log.ts';
import { type Preflight, rowKinds } from './preflight.ts';

/** A row in a log. */
export interface LoggedRow {
  readonly number: number;
  readonly line: number;
  /** Its digest as base64; undefined for rows that were not sent. */
  readonly digest?: string | undefined;
  readonly outcome: 'sent' | 'not sent' | 'failed' | 'unsure' | 'skipped' | 'in flight' | 'forgotten';
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  /** From the response of the service. */
  readonly id?: string | null | undefined;
}

/** The log has no outcome: the row is in flight, or its process was killed. */
const inFlight = 'in-flight';
const cutShort = 'the process ended while it was being sent';

const amendments = {
  sent: { outcome: 'sent' },
  'not sent': { outcome: 'not sent' },
  unsure: { outcome: 'unsure', code: 'killed', reason: cutShort },
} as const;

/** The rows of a run in the order of the input; the last command that dealt with a row counts. */
export function rowsOfRun(parts: readonly LogPart[], isRunning = false): readonly LoggedRow[] {
  const rows = new Map<string, LoggedRow>();
  const last = parts.findLast(({ isAfterwards }) => !isAfterwards);
  for (const part of parts) {
    for (const row of rowsIn(part)) {
      const isInFlight = isRunning && row.code === inFlight;
      // Another process of this run dealt with it.
      if (row.outcome === 'skipped' && row.digest !== undefined && rows.has(row.digest)) continue;
      // Each command lists rows without a digest again.
      if (row.digest !== undefined)
        rows.set(row.digest, isInFlight ? { ...row, outcome: 'in flight', reason: undefined } : row);
      else if (part === last) rows.set(`row ${row.number}`, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.number - b.number);
}

/** Why rows of this input failed or are unsure since earlier commands, by their index. */
export function reasonsBefore(
  parts: readonly LogPart[],
  input: Pick<Input, 'rowOf'>,
  isWanted: (index: number) => boolean,
): ReadonlyMap<number, string> {
  const reasons = new Map<number, string>();
  for (const part of parts)
    for (const { digest, reason } of rowsIn(part)) {
      const index =
        digest === undefined || reason === undefined ? undefined : input.rowOf(Buffer.from(digest, 'base64'), 0);
      if (index !== undefined && reason !== undefined && isWanted(index)) reasons.set(index, reason);
    }
  return reasons;
}

export interface LogCompletion {
  /** The logs of earlier commands. */
  readonly parts: readonly LogPart[];
  readonly found: Preflight;
  readonly accepted: Accepted;
  readonly log: Pick<RunLog, 'amended'>;
}

/**
 * A killed command may have recorded claims and outcomes in the ledger that its log lacks. The next command logs what
 * the ledger knows of them, so that `runs show` and the file of unsure rows have each row.
 */
export function completeLog({ parts, found, accepted, log }: LogCompletion): void {
  const logged = unsureIn(parts);
  if (logged.size + accepted.counts.unsure === 0) return;
  const isShared = accepted.notes.some(({ note }) => note === 'joined');
  const amended: Record<Amended, ResolvedRow[]> = { sent: [], 'not sent': [], unsure: [] };
  let index = 0;
  for (let number = 1; number <= found.rows; number++) {
    if (found.kindOf(number) !== rowKinds.valid) continue;
    const digest = Buffer.from(found.input.read(index)).toString('base64');
    const outcome = missingOutcome(fateAt(accepted.fates, index), logged.get(digest), isShared);
    if (outcome) amended[outcome].push({ number, line: found.placeOf(index), digest });
    index += 1;
  }
  for (const outcome of ['sent', 'not sent', 'unsure'] as const) log.amended(amended[outcome], outcome);
}

/** The rows of one command, in the order in which they ended. A row of an ended process without an outcome is unsure. */
export function* rowsIn({ records }: LogPart): Generator<LoggedRow> {
  /** Rows in flight. */
  const open = new Map<number, Pick<LoggedRow, 'number' | 'line' | 'digest'>>();
  const ended = (number: number) => {
    const row = open.get(number) ?? { number, line: 0 };
    open.delete(number);
    return row;
  };
  for (const record of records) {
    switch (record.type) {
      case 'claimed':
        for (const [number, line, digest] of record.rows) open.set(number, { number, line, digest });
        break;
      case 'sent':
        for (const [number, id] of record.rows) yield { ...ended(number), outcome: 'sent', id };
        break;
      case 'failed':
      case 'unsure':
        yield { ...ended(record.number), outcome: record.type, code: record.code, reason: record.reason };
        break;
      case 'released':
        for (const number of record.rows) open.delete(number);
        break;
      case 'skipped':
        for (const [number, line, digest] of record.rows)
          yield { number, line, digest, outcome: 'skipped', reason: record.why };
        break;
      case 'resolved':
        for (const [number, line, digest] of record.rows)
          yield {
            number,
            line,
            digest,
            outcome: record.found === 'sent' ? 'sent' : 'not sent',
            reason: 'recorded by runs resolve',
          };
        break;
      case 'amended':
        for (const [number, line, digest] of record.rows) yield { number, line, digest, ...amendments[record.outcome] };
        break;
      case 'forgotten':
        for (const [number, line, digest] of record.rows) yield { number, line, digest, outcome: 'forgotten' };
        break;
      case 'invalid':
        yield { number: record.number, line: record.line, outcome: 'failed', code: 'invalid', reason: record.reason };
    }
  }
  for (const row of open.values()) yield { ...row, outcome: 'unsure', code: inFlight, reason: cutShort };
}

/** Rows that are unsure in the logs, by digest. */
function unsureIn(parts: readonly LogPart[]): ReadonlyMap<string, LoggedRow> {
  const unsure = new Map<string, LoggedRow>();
  for (const part of parts)
    for (const row of rowsIn(part)) {
      if (row.digest === undefined) continue;
      if (row.outcome === 'unsure') unsure.set(row.digest, row);
      else unsure.delete(row.digest);
    }
  return unsure;
}

/** The outcome that the ledger has and the logs lack; undefined if they agree. */
function missingOutcome(fate: Fate, logged: LoggedRow | undefined, isShared: boolean): Amended | undefined {
  if (fate === 'done') return logged && 'sent';
  if (fate === 'unsure') return logged && logged.code !== inFlight ? undefined : 'unsure';
  // Another process may be sending it now.
  if (isShared || logged?.code !== inFlight) return undefined;
  return fate === 'due' || fate === 'later' ? 'not sent' : undefined;
}
