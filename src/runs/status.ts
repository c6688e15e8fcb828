import type { KnownPace } from '../client/pace/pace.ts';
import { spanText, whole, zonedTime } from '../cli/output/figures.ts';
import type { Hours } from './hours.ts';
import { type Clock, longestOutage } from './outage.ts';

/** The activity of a run at this moment. Times are in milliseconds. */
export type Doing =
  | { readonly what: 'reading'; readonly rows: number }
  | { readonly what: 'sending' }
  | { readonly what: 'waiting'; readonly next: number }
  /** Outside the hours; the time is one of the day. */
  | { readonly what: 'closed'; readonly until: number }
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
  if (hours && !hours.isOpen(now)) return { what: 'closed', until: hours.opensAt(now) };
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
  /** Milliseconds; undefined if unknown. */
  readonly left: number | undefined;
}

/** A line of at most `columns`; the least important parts are dropped first. */
export function statusText(doing: Doing, standing: Standing | undefined, columns: number): string {
  const [long, short] = doingTexts(doing);
  const { far, failed, unsure, left } = standing ? textsOf(standing, doing) : noTexts;
  const problems = [failed, unsure].filter((text) => text[0] !== '0');
  const lines = [
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
  if (doing.what === 'closed') {
    const until = zonedTime(doing.until);
    return [`outside the hours until ${until}`, `until ${until}`];
  }
  const since = `service unreachable for ${spanText(doing.since / 1_000)}`;
  return [`${since}, stopping in ${spanText(doing.stopsIn / 1_000)}`, since];
}

const noTexts = { far: '', failed: '', unsure: '', left: '' };

function textsOf({ settled, total, failed, unsure, left }: Standing, { what }: Doing) {
  return {
    far: `${whole(settled)} of ${whole(total)}`,
    failed: `${whole(failed)} failed`,
    unsure: `${whole(unsure)} unsure`,
    // The length of an outage is unknown.
    left: left === undefined || what === 'unreachable' ? '' : `${roughly(left)} left`,
  };
}

/** From 10 minutes on without seconds. */
export function roughly(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  return seconds < 600
    ? spanText(seconds).replace(/ 0 s$/, '')
    : spanText(Math.round(seconds / 60) * 60).replace(/ 0 \w+$/, '');
}

export interface TimeLeft {
  /** The row count of this command that has ended. */
  ended(settled: number): void;
  /** Milliseconds until all of `total` rows have ended; undefined if unknown. */
  of(total: number): number | undefined;
}

/** Ended rows from whose times the rate is measured if no rate limit is known. */
const measured = 1_000;
/** Milliseconds of measuring before the first estimate. */
const shortest = 1_000;

/**
 * Estimates how long a run will take. Under a rate limit, a row leaves one window after the row that left as many
 * rows before it as fit in the window. So the last row leaves some windows after one that has ended, or after the start.
 */
export function createTimeLeft(pace: KnownPace | undefined, now: () => number): TimeLeft {
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
    of(total) {
      const rest = total - count;
      if (rest <= 0) return 0;
      const windows = pace ? Math.ceil(rest / pace.perWindow) : 0;
      const before = pace ? total - windows * pace.perWindow : 0;
      if (pace && before > 0) return Math.max(0, endOf(before) + windows * pace.window - now());
      if (pace && windows > 1) return Math.max(0, startedAt + (windows - 1) * pace.window - now());
      return atCurrentRate(rest);
    },
  };

  function endOf(position: number): number {
    return times[(position - 1) % size] ?? startedAt;
  }

  function atCurrentRate(rest: number): number | undefined {
    const known = Math.min(count, size);
    if (known === 0 || now() - startedAt < shortest) return undefined;
    const since = count > size ? endOf(count - size + 1) : startedAt;
    return (rest * (now() - since)) / known;
  }
}
