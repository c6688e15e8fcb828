import { type Accepted, type Fate, fateAt, type Note } from '../ledger/ledger.ts';
import { type Amended, base64, type LogPart, type ResolvedRow, type RunLog } from './log.ts';
import type { Preflight } from './preflight.ts';

/** A row in a log. */
export interface LoggedRow {
  readonly number: number;
  readonly line: number;
  /** Its digest as base64; undefined for rows that were not sent. */
  readonly digest?: string | undefined;
  readonly outcome: 'sent' | 'not sent' | 'failed' | 'unsure' | 'skipped' | 'in flight';
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

/** The rows that failed or are unsure according to the logs, by digest. */
export function rejectedIn(parts: readonly LogPart[]): ReadonlyMap<string, LoggedRow> {
  const rejected = new Map<string, LoggedRow>();
  for (const part of parts)
    for (const row of rowsIn(part)) {
      if (row.digest === undefined || row.outcome === 'skipped') continue;
      if (row.outcome === 'failed' || row.outcome === 'unsure') rejected.set(row.digest, row);
      else rejected.delete(row.digest);
    }
  return rejected;
}

export interface LogCompletion {
  /** The logs of earlier commands. */
  readonly parts: readonly LogPart[];
  readonly found: Preflight;
  readonly accepted: Accepted;
  readonly log: Pick<RunLog, 'amended' | 'skipped'>;
}

/**
 * A killed command may have recorded claims and outcomes in the ledger that its log lacks. The next command logs what
 * the ledger knows of them, so that `runs show` and the file of unsure rows have each row.
 */
export function completeLog({ parts, found, accepted, log }: LogCompletion): void {
  const rejected = rejectedIn(parts);
  const isUnsure = ({ outcome }: LoggedRow) => outcome === 'unsure';
  if (accepted.counts.unsure === 0 && ![...rejected.values()].some(isUnsure)) return;
  const [isShared, isHeldBack] = [hasNote(accepted, 'joined'), hasNote(accepted, 'unsure-before')];
  const amended: Record<Amended, ResolvedRow[]> = { sent: [], 'not sent': [], unsure: [] };
  const heldBack: ResolvedRow[] = [];
  let index = 0;
  for (let number = 1; number <= found.rows; number++) {
    if (found.kindOf(number) !== 'valid') continue;
    const digest = base64(found.digests.read(index));
    const logged = rejected.get(digest);
    const outcome = missingOutcome(fateAt(accepted.fates, index), logged, isShared);
    const row = { number, line: found.placeOf(index), digest };
    // Another run left it unsure, and that run can be resolved.
    if (outcome === 'unsure' && !logged && isHeldBack) heldBack.push(row);
    else if (outcome) amended[outcome].push(row);
    index += 1;
  }
  log.skipped(
    heldBack.map(({ number, line }) => ({ number, line })),
    'unsure',
  );
  for (const outcome of ['sent', 'not sent', 'unsure'] as const) log.amended(amended[outcome], outcome);
}

function hasNote({ notes }: Accepted, name: Note['note']): boolean {
  return notes.some(({ note }) => note === name);
}

/** The rows of one command, in the order in which they ended. A row of an ended process without an outcome is unsure. */
function* rowsIn({ records }: LogPart): Generator<LoggedRow> {
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
      case 'invalid':
        yield { number: record.number, line: record.line, outcome: 'failed', code: 'invalid', reason: record.reason };
    }
  }
  for (const row of open.values()) yield { ...row, outcome: 'unsure', code: inFlight, reason: cutShort };
}

/** The outcome that the ledger has and the logs lack; undefined if they agree. */
function missingOutcome(fate: Fate, logged: LoggedRow | undefined, isShared: boolean): Amended | undefined {
  if (fate === 'done') return logged && 'sent';
  if (fate === 'unsure') return logged?.outcome === 'unsure' && logged.code !== inFlight ? undefined : 'unsure';
  // Another process may be sending it now.
  if (isShared || logged?.code !== inFlight) return undefined;
  return fate === 'due' || fate === 'later' ? 'not sent' : undefined;
}
