import type { Host } from '../base/host.ts';
import { spanText, whole } from '../cli/output/figures.ts';
import { widthOf } from '../cli/output/text.ts';
import type { Paint } from '../cli/output/ui.ts';
import type { BatchPace } from '../session/session.ts';
import type { Desk } from './desk.ts';
import type { Hours } from './hours.ts';
import { longestOutage, outageText } from './outage.ts';
import { roughly } from './overview.ts';
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
  readonly pace: Pick<BatchPace, 'minimumDuration' | 'waiting'>;
  readonly hours: Pick<Hours, 'isOpen' | 'opensAt' | 'timeText' | 'endOf'> | undefined;
  readonly host: Pick<Host, 'now' | 'steady'>;
}

/** Shorter waits between two requests are not worth a word. */
const shortestShownWait = 1_000;
const day = 86_400_000;

/** How far the work on a batch is. Times are in milliseconds. */
export class Status {
  readonly #options: StatusOptions;
  readonly #startedAt: number;
  readonly #counts = { sent: 0, failed: 0, unsure: 0 };
  #goneAt: number | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
    this.#startedAt = options.host.steady();
  }

  take({ state }: Pick<WorkOutcome, 'state'>): void {
    this.#counts[state] += 1;
  }

  outage(state: 'gone' | 'back'): void {
    this.#goneAt = state === 'gone' ? this.#options.host.steady() : undefined;
  }

  /** A line of at most `columns`; the least important parts go first. A live one has a bar, and failures in red. */
  line(columns: number, red?: Paint): string {
    const { name, total } = this.#options;
    const { failed, unsure } = this.#counts;
    const done = this.#done();
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
    const { hours, host, pace } = this.#options;
    const remaining = this.#milliseconds();
    // The length of an outage is unknown.
    if (remaining === undefined || this.#goneAt !== undefined) return undefined;
    const now = host.now();
    const waiting = pace.waiting() ?? 0;
    // The wait says the same.
    if (waiting >= shortestShownWait && remaining < waiting + shortestShownWait) return undefined;
    return `${roughly(hours ? hours.endOf(now, remaining) - now : remaining)} left`;
  }

  /** By the rate limit, or else by the average so far, unless it waits; undefined if unknown. */
  #milliseconds(): number | undefined {
    const { total, host, pace } = this.#options;
    const done = this.#done();
    const rest = Math.max(0, total - done);
    const [least = 0, waiting = 0] = [pace.minimumDuration(rest), pace.waiting()];
    if (rest === 0 || least > 0 || waiting >= shortestShownWait) return least + waiting;
    const since = host.steady() - this.#startedAt;
    return done === 0 || since < shortestMeasure ? undefined : (rest * since) / done;
  }

  #done(): number {
    const { sent, failed, unsure } = this.#counts;
    return sent + failed + unsure;
  }
}

/** Milliseconds of measuring before the first estimate. */
const shortestMeasure = 1_000;

function openingText(hours: NonNullable<StatusOptions['hours']>, now: number): string {
  const opensAt = hours.opensAt(now);
  const [date, time] = hours.timeText(opensAt).split(' ');
  return opensAt - now < day ? `${time}` : `${date} ${time}`;
}

function bar(share: number): string {
  const filled = Math.floor(Math.min(1, share) * 10);
  return '▰'.repeat(filled) + '▱'.repeat(10 - filled);
}
