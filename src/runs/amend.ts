import { type Accepted, type Fate, fates } from '../ledger/ledger.ts';
import { inFlight, type LoggedRow, rowsIn } from './history.ts';
import type { Amended, LogPart, ResolvedRow, RunLog } from './log.ts';
import type { Survey } from './survey.ts';

export interface Amending {
  /** The logs of earlier commands. */
  readonly parts: readonly LogPart[];
  readonly found: Survey;
  readonly accepted: Accepted;
  readonly log: Pick<RunLog, 'amended'>;
}

/**
 * A killed command may have recorded claims and outcomes in the ledger that its log lacks. The next command logs what
 * the ledger knows of them, so that `runs show` and the file of unsure rows have each row.
 */
export function amend({ parts, found, accepted, log }: Amending): void {
  const logged = unsureIn(parts);
  if (logged.size + accepted.counts.unsure === 0) return;
  const isShared = accepted.notes.some(({ note }) => note === 'joined');
  const amended: Record<Amended, ResolvedRow[]> = { sent: [], 'not sent': [], unsure: [] };
  let index = 0;
  for (const [at, isValid] of found.valid.entries()) {
    if (isValid === 0) continue;
    const digest = Buffer.from(found.input.read(index)).toString('base64');
    const outcome = outcomeOf(fates[accepted.fates[index] ?? 0], logged.get(digest), isShared);
    if (outcome) amended[outcome].push({ number: at + 1, line: found.placeOf(index), digest });
    index += 1;
  }
  for (const outcome of ['sent', 'not sent', 'unsure'] as const) log.amended(amended[outcome], outcome);
}

/** Rows that the logs call unsure, by their digests. */
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

/** Undefined if the logs agree with the ledger. */
function outcomeOf(fate: Fate | undefined, logged: LoggedRow | undefined, isShared: boolean): Amended | undefined {
  if (fate === 'done') return logged && 'sent';
  if (fate === 'unsure') return logged && logged.code !== inFlight ? undefined : 'unsure';
  // Another process may be sending it now.
  if (isShared || logged?.code !== inFlight) return undefined;
  return fate === 'due' || fate === 'later' ? 'not sent' : undefined;
}
