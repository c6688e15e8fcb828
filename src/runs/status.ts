import type { Context, Emit } from '../cli/command.ts';
import type { KnownPace } from '../client/pace.ts';
import { spanText, whole } from '../cli/output/figures.ts';
import type { Hours } from './hours.ts';
import { type Clock, longestOutage } from './outage.ts';
import type { Outcome, Place } from './row.ts';

interface Showing {
  take(outcome: Outcome): Promise<void> | undefined;
  /** A row that cannot be sent. */
  invalid(place: Place, reason: string): Promise<void> | undefined;
  end(): void;
}

export interface ShowOptions {
  /** The rows that this command sends. */
  readonly total: number;
  readonly emit: Emit;
  /** The rate of the requests, if it is known. */
  readonly pace: KnownPace | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
  readonly doing: () => Doing;
  readonly hours: Hours | undefined;
  /** The time of day. */
  readonly now: () => number;
}

/** Shows how far a run has come; with -o ndjson, prints each row as it ends. */
export async function showing(context: Context, options: ShowOptions): Promise<Showing> {
  const { total, emit, pace, steady, doing, hours, now } = options;
  const progress = await context.progress();
  const isStream = context.given.output === 'ndjson';
  const estimate = createEstimate(pace, steady);
  let [settled, failed, unsure] = [0, 0, 0];
  const left = () => {
    const active = estimate.left(total);
    return active === undefined || !hours ? active : hours.endOf(now(), active) - now();
  };
  const standing = () => ({ settled, total, failed, unsure, rate: estimate.rate(), left: left() });
  progress.follow((columns) => statusText(doing(), standing(), columns));
  return {
    take(outcome) {
      settled += 1;
      if (outcome.outcome === 'failed') failed += 1;
      if (outcome.outcome === 'unsure') unsure += 1;
      estimate.ended(settled);
      return isStream ? emit([{ data: itemOf(outcome), text: () => '' }]) : undefined;
    },
    invalid: ({ number: row, line }, reason) =>
      isStream
        ? emit([{ data: { type: 'row', row, line, outcome: 'failed', code: 'invalid', reason }, text: () => '' }])
        : undefined,
    end: progress.end,
  };
}

function itemOf(outcome: Outcome): object {
  const { number, line } = outcome.row;
  const item = { type: 'row', row: number, line, outcome: outcome.outcome };
  // As in the summary and in `runs show`.
  if (outcome.outcome === 'done') return { ...item, outcome: 'sent', answer: outcome.answer ?? null };
  if (outcome.outcome === 'skipped') return { ...item, reason: outcome.why };
  return { ...item, code: outcome.code, reason: outcome.reason };
}

/** The activity of a run at this moment. Times are in milliseconds. */
export type Doing =
  | { readonly what: 'reading'; readonly rows: number }
  | { readonly what: 'sending' }
  | { readonly what: 'waiting'; readonly next: number }
  /** Outside the hours. */
  | { readonly what: 'closed'; readonly until: string }
  | { readonly what: 'unreachable'; readonly since: number; readonly stopsIn: number };

interface Sending {
  readonly hours: Hours | undefined;
  readonly clock: Pick<Clock, 'now' | 'steady'>;
  /** Since when the service cannot be reached, by the steady clock. */
  readonly goneAt: number | undefined;
  /** The milliseconds until the next request may be sent. */
  readonly next: number | undefined;
}

/** The waits between two requests of one window are not worth a word. */
const shortestShownWait = 1_000;

/** The activity of a run that sends its rows. */
export function sendingNow({ hours, clock, goneAt, next }: Sending): Doing {
  const now = clock.now();
  if (hours && !hours.isOpen(now)) return { what: 'closed', until: hours.timeText(hours.opensAt(now)) };
  if (goneAt !== undefined) {
    const since = clock.steady() - goneAt;
    return { what: 'unreachable', since, stopsIn: longestOutage - since };
  }
  return next === undefined || next < shortestShownWait ? { what: 'sending' } : { what: 'waiting', next };
}

export interface Standing {
  readonly settled: number;
  readonly total: number;
  readonly failed: number;
  readonly unsure: number;
  /** Rows per second; undefined if unknown. */
  readonly rate: number | undefined;
  /** Milliseconds; undefined if unknown. */
  readonly left: number | undefined;
}

/** A line of at most `columns`; the least important parts are dropped first. */
export function statusText(doing: Doing, standing: Standing | undefined, columns: number): string {
  const [long, short] = doingTexts(doing);
  const { far, failed, unsure, rate, left } = standing ? textsOf(standing, doing) : noTexts;
  const problems = [failed, unsure].filter((text) => text[0] !== '0');
  const lines = [
    [long, far, failed, unsure, rate, left],
    [long, far, failed, unsure, left],
    [short, far, failed, unsure, left],
    [short, far, ...problems, left],
    [short, far, left],
    [short, far],
    [far],
    [short],
  ].map((parts) => parts.filter((text) => text !== '').join(' · '));
  return lines.find((line) => line !== '' && line.length <= columns) ?? '';
}

function doingTexts(doing: Doing): readonly [long: string, short: string] {
  if (doing.what === 'reading') return [`reading · ${whole(doing.rows)} rows`, 'reading'];
  if (doing.what === 'sending') return ['sending', 'sending'];
  if (doing.what === 'waiting') {
    const next = spanText(doing.next / 1_000);
    return [`waiting for the rate limit, next in ${next}`, `rate limit, next in ${next}`];
  }
  if (doing.what === 'closed') return [`outside the hours until ${doing.until}`, `until ${doing.until}`];
  const since = `service unreachable for ${spanText(doing.since / 1_000)}`;
  return [`${since}, stopping in ${spanText(doing.stopsIn / 1_000)}`, since];
}

const noTexts = { far: '', failed: '', unsure: '', rate: '', left: '' };

function textsOf({ settled, total, failed, unsure, rate, left: least }: Standing, doing: Doing) {
  const { what } = doing;
  const left = least !== undefined && doing.what === 'waiting' ? Math.max(least, doing.next) : least;
  const isGoing = what === 'sending' || what === 'waiting';
  return {
    far: `${whole(settled)} of ${whole(total)}`,
    failed: `${whole(failed)} failed`,
    unsure: `${whole(unsure)} unsure`,
    rate: rate === undefined || !isGoing ? '' : rateText(rate),
    // The length of an outage is unknown.
    left: left === undefined || what === 'unreachable' ? '' : `${roughly(left)} left`,
  };
}

/** Slow rates by the minute, as plans have them. */
function rateText(perSecond: number): string {
  return perSecond < 10 ? `${whole(Math.round(perSecond * 60))}/min` : `${whole(Math.round(perSecond))}/s`;
}

/** From 10 minutes on without seconds. */
export function roughly(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  return seconds < 600
    ? spanText(seconds).replace(/ 0 s$/, '')
    : spanText(Math.round(seconds / 60) * 60).replace(/ 0 \w+$/, '');
}

export interface Estimate {
  /** The row count of this command that has ended. */
  ended(settled: number): void;
  /** Milliseconds until all of `total` rows have ended; undefined if unknown. */
  left(total: number): number | undefined;
  /** Rows per second: in the last window of a rate limit, otherwise of late. Undefined if unknown. */
  rate(): number | undefined;
}

/** Ended rows from whose times the rate is measured if no rate limit is known. */
const measured = 1_000;
/** Milliseconds of measuring before the first estimate. */
const shortest = 1_000;

/**
 * Estimates how long a run will take. Under a rate limit, a row leaves one window after the row that left as many
 * rows before it as fit in the window. So the last row leaves some windows after one that has ended, or after the start.
 */
export function createEstimate(pace: KnownPace | undefined, now: () => number): Estimate {
  const startedAt = now();
  const size = Math.max(pace?.perWindow ?? 0, measured);
  /** When the latest rows ended, by their count modulo the size. */
  const times = new Float64Array(size);
  let count = 0;
  return {
    ended(settled) {
      const time = now();
      while (count < settled) times[count++ % size] = time;
    },
    left(total) {
      const rest = total - count;
      if (rest <= 0) return 0;
      const windows = pace ? Math.ceil(rest / pace.perWindow) : 0;
      const before = pace ? total - windows * pace.perWindow : 0;
      if (pace && before > 0) return Math.max(0, endOf(before) + windows * pace.window - now());
      if (pace && windows > 1) return Math.max(0, startedAt + (windows - 1) * pace.window - now());
      const current = measuredRate();
      return current === undefined ? undefined : (rest * 1_000) / current;
    },
    rate: () => (pace ? rateInWindow(pace.window) : measuredRate()),
  };

  function endOf(position: number): number {
    return times[(position - 1) % size] ?? startedAt;
  }

  function rateInWindow(window: number): number | undefined {
    let ended = 0;
    while (ended < Math.min(count, size) && endOf(count - ended) > now() - window) ended++;
    return ended === 0 ? undefined : (ended * 1_000) / window;
  }

  function measuredRate(): number | undefined {
    const known = Math.min(count, size);
    if (known === 0 || now() - startedAt < shortest) return undefined;
    const since = count > size ? endOf(count - size + 1) : startedAt;
    return (known * 1_000) / Math.max(1, now() - since);
  }
}
