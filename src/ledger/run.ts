import type { RunState, Subject } from './ledger.ts';
import { isOpen, type State, states } from './states.ts';

/** A run in the database. */
export interface Run extends Omit<RunState, 'isRunning' | 'isFinished'> {
  /** Its number in the database. */
  readonly n: number;
  /** From `--per`, sorted. */
  readonly perColumns: readonly string[];
  /** The time of `--skip-sent`, which a job keeps. */
  readonly skipSent: number | undefined;
  /** When its own hours begin again after its last claim. */
  readonly resumesAt: number;
  /** Its registration is not complete: it counts as absent. */
  readonly isDraft: boolean;
  /** The tick at which it began: what others sent earlier was known to the user. */
  readonly tick: number;
  /** Where its latest process began. */
  readonly start: string | undefined;
}

/** A row of a run. */
export interface Item {
  /** The number of its run in the database. */
  readonly run: number;
  readonly n: number;
  readonly who: Uint8Array;
  readonly per: Uint8Array;
  /** The message as registered, and as sent from the claim on. */
  readonly text: Uint8Array;
  readonly state: State;
  /** When it was changed last; of a row that was in flight, when it was claimed or settled. */
  readonly at: number;
  readonly tick: number;
  /** The process that claimed it. It is known only while the row is leaving or unsure. */
  readonly owner: string | undefined;
  /** Its line in the input, or in a JSON array its number. */
  readonly line: number | undefined;
  /** When it was sent once more although it may have been sent before: it is done or stays unsure. */
  readonly retriedAt: number | undefined;
}

/** The run in which the single messages of an account with a template are claimed. */
export function singlesOf({ account, mode, template }: Subject): string {
  return `${singles}${mode} ${account} ${template}`;
}

export function isSingles(run: string): boolean {
  return run.startsWith(singles);
}

export const singles = 'singles ';

export function isFinished({ counts }: Pick<Run, 'counts'>): boolean {
  return states.every((state) => !isOpen(state) || counts[state] === 0);
}

/** Since when it does nothing, outside of its own hours too. */
export function idleSince({ lastAt, resumesAt }: Pick<Run, 'lastAt' | 'resumesAt'>): number {
  return Math.max(lastAt, resumesAt);
}

/** The number of rows that are still to be sent. */
export function waitingIn({ counts }: Pick<Run, 'counts'>): number {
  return counts.planned + counts.released;
}
