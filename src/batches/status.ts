import type { Host } from '../base/host.ts';
import { spanText, whole } from '../cli/output/figures.ts';
import { widthOf } from '../cli/output/text.ts';
import type { Paint } from '../cli/output/ui.ts';
import type { KnownPace } from '../client/pace.ts';
import type { BatchPace } from '../session/session.ts';
import { roughly } from './footer.ts';
import type { Hours } from './hours.ts';
import type { Desk } from './desk.ts';
import { longestOutage, outageText } from './outage.ts';
import type { WorkOptions, WorkOutcome } from './work.ts';

type Progress = Required<Pick<WorkOptions, 'onOutcome' | 'onOutage'>> & { readonly end: () => void };

/** Shows how far the work on a batch is; with -o ndjson, prints each row as it ends. */
export async function showProgress(desk: Desk, batch: Pick<StatusOptions, 'name' | 'total'>): Promise<Progress> {
  const { context, emit, sender, hours } = desk;
  const { host, given } = context;
  const status = new Status({ ...batch, pace: sender.pace, hours, host });
  const progress = await context.progress();
  progress.follow((columns, red) => status.line(columns, red));
  const isStream = given.output === 'ndjson';
  return {
    onOutcome(outcome) {
      status.take(outcome);
      return isStream ? emit([{ data: itemOf(outcome), text: () => '' }]) : undefined;
    },
    onOutage(state, last) {
      status.outage(state);
      context.note('outage', outageText(state, last));
    },
    end: progress.end,
  };
}

function itemOf({ n, line, state, id, code, reason }: WorkOutcome): object {
  return { type: 'row', row: n, line, outcome: state, id, code, reason };
}

export interface StatusOptions {
  /** Of the batch. */
  readonly name: string;
  /** Rows that this command sends. */
  readonly total: number;
  readonly pace: Pick<BatchPace, 'limit' | 'waiting'>;
  readonly hours: Pick<Hours, 'isOpen' | 'opensAt' | 'timeText' | 'endOf'> | undefined;
  readonly host: Pick<Host, 'now' | 'steady'>;
}

/** Shorter waits between two requests are not worth a word. */
const shortestShownWait = 1_000;
const day = 86_400_000;

/** How far the work on a batch is. Times are in milliseconds. */
export class Status {
  readonly #options: StatusOptions;
  readonly #estimate: Estimate;
  readonly #counts = { sent: 0, failed: 0, unsure: 0 };
  #goneAt: number | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
    this.#estimate = new Estimate(options.pace.limit, options.host.steady);
  }

  take({ state }: Pick<WorkOutcome, 'state'>): void {
    this.#counts[state] += 1;
    this.#estimate.ended();
  }

  outage(state: 'gone' | 'back'): void {
    this.#goneAt = state === 'gone' ? this.#options.host.steady() : undefined;
  }

  /** A line of at most `columns`; the least important parts go first. A live one has a bar, and failures in red. */
  line(columns: number, red?: Paint): string {
    const { name, total } = this.#options;
    const { sent, failed, unsure } = this.#counts;
    const done = sent + failed + unsure;
    const far = `${whole(done)} of ${whole(total)}`;
    const fault = (count: number, word: string) => (count > 0 ? (red ?? String)(`${whole(count)} ${word}`) : undefined);
    const joined = (...texts: readonly (string | undefined)[]) =>
      [far, fault(failed, 'failed'), fault(unsure, 'unsure'), ...texts]
        .filter((text) => text !== undefined)
        .join(' · ');
    const [wait, remaining] = [this.#wait(), this.#remaining()];
    const [long, short] = [joined(wait, remaining), joined(wait ?? remaining)];
    const live = red ? [`${name}  ${bar(done / total)}  ${long}`] : [];
    const lines = [...live, `${name}  ${long}`, `${name}  ${short}`, short, far];
    return lines.find((line) => widthOf(line) <= columns) ?? '';
  }

  #wait(): string | undefined {
    const { hours, host, pace } = this.#options;
    const now = host.now();
    if (hours && !hours.isOpen(now)) return `outside the hours until ${openingText(hours, now)}`;
    if (this.#goneAt !== undefined) {
      const since = Math.floor((host.steady() - this.#goneAt) / 1_000);
      return `service unreachable for ${since} s, stops in ${Math.max(0, longestOutage / 1_000 - since)} s`;
    }
    const next = pace.waiting() ?? 0;
    return next < shortestShownWait ? undefined : `rate limit, ${spanText(next / 1_000)}`;
  }

  #remaining(): string | undefined {
    const { total, hours, host, pace } = this.#options;
    const active = this.#estimate.remaining(total);
    // The length of an outage is unknown.
    if (active === undefined || this.#goneAt !== undefined) return undefined;
    const now = host.now();
    const remaining = Math.max(active, pace.waiting() ?? 0);
    return `${roughly(hours ? hours.endOf(now, remaining) - now : remaining)} left`;
  }
}

function openingText(hours: NonNullable<StatusOptions['hours']>, now: number): string {
  const opensAt = hours.opensAt(now);
  const [date, time] = hours.timeText(opensAt).split(' ');
  return opensAt - now < day ? `${time}` : `${date} ${time}`;
}

function bar(share: number): string {
  const filled = Math.floor(Math.min(1, share) * 10);
  return '▰'.repeat(filled) + '▱'.repeat(10 - filled);
}

/** Milliseconds of measuring before the first estimate. */
const shortest = 1_000;

/**
 * Estimates how long the work will take. Under a rate limit, a row leaves one window after the row that left as many
 * rows before it as fit in the window. So the last row leaves some windows after one that has ended, or after the start.
 */
export class Estimate {
  readonly #pace: KnownPace | undefined;
  readonly #steady: () => number;
  readonly #startedAt: number;
  /** When the rows of the latest window ended, by their count modulo its size. */
  readonly #times: number[] = [];
  #count = 0;

  constructor(pace: KnownPace | undefined, steady: () => number) {
    this.#pace = pace;
    this.#steady = steady;
    this.#startedAt = steady();
  }

  ended(): void {
    if (this.#pace) this.#times[this.#count % this.#pace.perWindow] = this.#steady();
    this.#count += 1;
  }

  /** Milliseconds until `total` rows have ended; undefined if unknown. */
  remaining(total: number): number | undefined {
    const rest = total - this.#count;
    const since = this.#steady() - this.#startedAt;
    if (rest <= 0) return 0;
    if (this.#pace) {
      const { perWindow, window } = this.#pace;
      const windows = Math.ceil(rest / perWindow);
      const before = total - windows * perWindow;
      const leftAt = before > 0 ? this.#times[(before - 1) % perWindow] : undefined;
      if (leftAt !== undefined) return Math.max(0, leftAt + windows * window - this.#steady());
      if (windows > 1) return Math.max(0, (windows - 1) * window - since);
    }
    return this.#count === 0 || since < shortest ? undefined : (rest * since) / this.#count;
  }
}
