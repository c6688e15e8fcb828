import type { Host } from '../../base/host.ts';
import type { Globals } from '../globals.ts';
import type { Reporter } from './reporter.ts';

interface Shown {
  readonly host: Host;
  /** --quiet and --debug turn the spinner off. */
  readonly given: { readonly quiet: boolean; readonly debug: boolean };
}

/** Shows a spinner on a terminal if the work takes longer than 0.4 s. */
export async function withSpinner<T>(text: string, { host, given }: Shown, work: Promise<T>): Promise<T> {
  const { stderr, streams } = host;
  if (!stderr.isTTY || given.quiet || given.debug) return work;
  const settled = work.then(
    () => true,
    () => true,
  );
  if (await Promise.race([settled, patience()])) return work;
  if (!mayMove(host)) return stderr.write(`${text}\n`).then(() => work);
  const { default: ora } = await import('ora');
  const spinner = ora({ text, stream: streams.stderr, discardStdin: false }).start();
  try {
    return await work;
  } finally {
    spinner.stop();
  }
}

function patience(): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), 400).unref();
  });
}

/** Whether a line may change in place: not in a log, nor for a screen reader (`ACCESSIBLE`). */
export function mayMove({ stderr, env }: Pick<Host, 'stderr' | 'env'>): boolean {
  return stderr.isTTY && !env['CI'] && !env['ACCESSIBLE'] && env['TERM'] !== 'dumb';
}

/** The progress of a run. */
export interface Standing {
  readonly settled: number;
  readonly total: number;
  readonly failed: number;
  readonly unsure: number;
  /** The current rate; undefined until it is known. */
  readonly perSecond: number | undefined;
}

/** A progress line of at most `columns`; the least important parts are dropped first. */
export function progressLine(standing: Standing, columns: number): string {
  const { settled, total, failed, unsure, perSecond } = standing;
  const share = total === 0 ? 1 : settled / total;
  const parts = [
    { text: `${whole(settled)} of ${whole(total)}`, rank: 0 },
    { text: `${Math.floor(share * 100)} %`, rank: 3 },
    { text: failed === 0 ? '' : `${whole(failed)} failed`, rank: 1 },
    { text: unsure === 0 ? '' : `${whole(unsure)} unsure`, rank: 2 },
    { text: perSecond === undefined ? '' : rate(perSecond), rank: 5 },
    { text: perSecond ? `${span((total - settled) / perSecond)} left` : '', rank: 4 },
  ].filter(({ text }) => text !== '');
  for (let most = 6; most > 0; most -= 1) {
    const line = parts.filter(({ rank }) => rank < most).map(({ text }) => text);
    const text = line.join(' · ');
    if (text.length <= columns) return withBar(text, share, columns);
  }
  return whole(settled).slice(0, Math.max(0, columns));
}

const barColumns = 20;

/** Adds a bar if there is room. */
function withBar(text: string, share: number, columns: number): string {
  if (text.length + barColumns + 3 > columns) return text;
  const full = Math.floor(share * barColumns);
  return `[${'#'.repeat(full)}${' '.repeat(barColumns - full)}] ${text}`;
}

export function whole(count: number): string {
  return count.toLocaleString('en-US');
}

function rate(perSecond: number): string {
  if (perSecond >= 10) return `${whole(Math.round(perSecond))}/s`;
  if (perSecond >= 1) return `${perSecond.toFixed(1)}/s`;
  return `${(perSecond * 60).toFixed(perSecond * 60 >= 10 ? 0 : 1)}/min`;
}

/** A duration in its two largest units. */
export function span(seconds: number): string {
  const left = Math.max(0, Math.ceil(seconds));
  if (left < 60) return `${left} s`;
  const minutes = Math.ceil(left / 60);
  if (left < 3_600) return `${Math.floor(left / 60)} min ${left % 60} s`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 60 / 24)} d ${Math.floor(minutes / 60) % 24} h`;
}

/** The duration of a finished run. */
export function took(seconds: number): string {
  if (seconds >= 0.95 || seconds <= 0) return span(seconds).replace(/ 0 \w+$/, '');
  return seconds < 0.1 ? `${Math.max(1, Math.round(seconds * 1_000))} ms` : `${seconds.toFixed(1)} s`;
}

/** Measures the current rate over a sliding window. */
export function createGauge(now: () => number, spanOf = 15_000): (settled: number) => number | undefined {
  const samples: { at: number; settled: number }[] = [];
  return (settled) => {
    const at = now();
    const last = samples.at(-1);
    if (!last || at - last.at >= 250) samples.push({ at, settled });
    while (samples.length > 2 && samples[1] && at - samples[1].at >= spanOf) samples.shift();
    const [first] = samples;
    return first && at > first.at ? (1_000 * (settled - first.settled)) / (at - first.at) : undefined;
  };
}

/** Shows the progress of a run: a live line on a terminal, elsewhere a note every 30 s. */
export interface Progress {
  show(standing: Omit<Standing, 'perSecond'>): void;
  end(): void;
}

/** Milliseconds between updates of the line, and between notes. */
const [redrawn, noted] = [100, 30_000];
/** The width of a note. */
const noteColumns = 100;

export function createProgress(host: Host, given: Globals, reporter: Reporter): Progress {
  const gauge = createGauge(host.now);
  const { stderr, stdout } = host;
  // Result lines on the same screen would overwrite the live line.
  const isFree = !given.debug && !(stdout.isTTY && given.output === 'ndjson');
  const isLive = isFree && mayMove(host);
  let [lookedAt, shownAt] = [0, host.now()];
  return {
    show(standing) {
      if (given.quiet) return;
      const now = host.now();
      if (now - lookedAt < redrawn) return;
      lookedAt = now;
      const perSecond = gauge(standing.settled);
      if (now - shownAt < (isLive ? redrawn : noted)) return;
      shownAt = now;
      const line = progressLine({ ...standing, perSecond }, isLive ? (stderr.columns ?? 80) - 1 : noteColumns);
      if (isLive) reporter.live(line);
      else reporter.note('progress', line);
    },
    end: () => reporter.live(''),
  };
}
