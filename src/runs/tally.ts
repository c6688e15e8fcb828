import { whole } from '../cli/output/figures.ts';
import type { Accepted, Kind } from '../ledger/ledger.ts';
import type { Reason } from './reasons.ts';
import type { Outcome, SkipReason } from './row.ts';
import type { Preflight } from './preflight.ts';

/** Counts what becomes of the rows of an input in one command. */
export interface Tally {
  take(outcome: Outcome): void;
  counts(): Counts;
  /** The end of the row with this number, if the run in the ledger does not have it. */
  unrecorded(number: number): Unrecorded | undefined;
  reasons(): readonly Reason[];
}

/** The rows of a run. `rows` is the sum of all others. */
export interface Counts {
  readonly rows: number;
  readonly sent: number;
  readonly failed: number;
  readonly unsure: number;
  readonly not_reached: number;
  readonly skipped: SkippedCounts;
}

/** Why rows were not sent by this command. */
export interface SkippedCounts {
  /** `--exclude-from`. */
  readonly excluded: number;
  /** Rows that do not meet `--where`. */
  readonly where: number;
  /** `--skip-sent`: another run has sent them. */
  readonly earlier_run: number;
  /** This run or job has sent them. */
  readonly this_run: number;
  readonly duplicate: number;
  /** Unsure since an earlier command: they need `--retry-unsure` or `runs resolve`. */
  readonly unsure: number;
  /** Another run sent them meanwhile. */
  readonly elsewhere: number;
  /** Another run is sending them, or will. */
  readonly busy: number;
  /** This run or job has sent them with another text. */
  readonly changed: number;
  /** Another message for the recipient of an earlier row. */
  readonly another_message: number;
}

interface Unrecorded {
  readonly word: 'failed' | 'unsure';
  readonly reason: string;
}

const leftUnsure = 'another process left it unsure';

export function createTally(found: Preflight, accepted: Accepted): Tally {
  const skipped = skipsOf(found, accepted);
  const unrecorded = new Map<number, Unrecorded>();
  let [sent, failed, unsure] = [0, found.invalid, 0];
  return {
    take(outcome) {
      const { row } = outcome;
      if (outcome.outcome === 'done') sent += 1;
      else if (outcome.outcome === 'skipped') skip(row.number, outcome.why);
      else reject(outcome);
    },
    unrecorded: (number) => unrecorded.get(number),
    reasons: found.reasons.list,
    counts() {
      const { rows } = found;
      return { rows, sent, failed, unsure, not_reached: rows - sent - failed - unsure - sumOf(skipped), skipped };
    },
  };

  function skip(number: number, why: SkipReason): void {
    skipped[why] += 1;
    if (why === 'unsure') unrecorded.set(number, { word: 'unsure', reason: leftUnsure });
  }

  function reject({ outcome, row, code, reason }: Extract<Outcome, { outcome: 'failed' | 'unsure' }>): void {
    if (outcome === 'failed') failed += 1;
    else unsure += 1;
    if (code === 'unrecorded') unrecorded.set(row.number, { word: outcome, reason });
    found.reasons.add(reason, row.line);
  }
}

/** The rows that a command does not send, by the ledger's decision. */
export function skipsOf(
  { leftOut }: Pick<Preflight, 'leftOut'>,
  accepted: Accepted | undefined,
): { -readonly [Name in keyof SkippedCounts]: number } {
  const {
    earlier = 0,
    done = 0,
    duplicate = 0,
    unsure = 0,
    busy = 0,
    changed = 0,
    conflict = 0,
  } = accepted?.counts ?? {};
  const own = { this_run: done, unsure, changed, duplicate, another_message: conflict };
  return { ...leftOut, earlier_run: earlier, elsewhere: 0, busy, ...own };
}

/** The rows that a command sends, by the ledger's decision. */
export function dueIn({ counts }: Pick<Accepted, 'counts'>): number {
  return counts.due + counts.retry;
}

export function sumOf(skipped: SkippedCounts): number {
  return Object.values(skipped).reduce((sum: number, count: number) => sum + count, 0);
}

/** The effect of a run on a row. */
export function verbOf(kind: Kind): string {
  return kind === 'message' ? 'sent' : 'imported';
}

interface Skips {
  readonly verb: string;
  readonly skipped: SkippedCounts;
  readonly job: string | null;
  readonly continues: boolean;
}

/** Why rows were skipped; with their numbers if there is more than one reason. */
export function skipText(skips: Skips): string {
  const found = skipReasons(skips);
  return found.map(([count, reason]) => (found.length > 1 ? `${whole(count)} ${reason}` : reason)).join(', ');
}

export function skipReasons({
  skipped,
  job,
  continues,
  verb,
}: Skips): readonly (readonly [count: number, reason: string])[] {
  const bySelf = job !== null ? ` by job ${job}` : continues ? ' by this run' : '';
  const reasons = [
    [skipped.excluded, 'excluded'],
    [skipped.where, 'left out by --where'],
    [skipped.this_run, `${verb} earlier${bySelf}`],
    [skipped.earlier_run, `${verb} earlier by another run`],
    [skipped.duplicate, skipped.duplicate === 1 ? 'duplicate' : 'duplicates'],
    [skipped.unsure, 'unsure'],
    [skipped.elsewhere, `${verb} meanwhile by another run`],
    [skipped.busy, 'left to another run'],
    [skipped.changed, 'whose text changed since it was sent'],
    [skipped.another_message, 'another message for the recipient of an earlier row'],
  ] as const;
  return reasons.filter(([count]) => count > 0);
}
