import { setTimeout } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Host } from '../../base/host.ts';
import type { Globals } from '../globals.ts';
import type { Reporter } from './reporter.ts';
import { startOf, widthOf } from './text.ts';
import type { Paint } from './ui.ts';

/** Shows a spinner on a terminal if the work takes longer than 0.4 s. */
export async function withSpinner<T>(text: string, host: Host, flags: Flags, work: Promise<T>): Promise<T> {
  const { stderr, streams } = host;
  if (!stderr.isTTY || flags.quiet || flags.debug) return work;
  const settled = Promise.allSettled([work]);
  if (await Promise.race([settled, setTimeout(400, false, { ref: false })])) return work;
  // The spinner would clear lines for ever on a terminal whose width is 0, as `script` opens without one.
  if (!mayMove(host) || stderr.columns === 0) return stderr.write(`${text}\n`).then(() => work);
  const { default: ora } = await import('ora');
  const spinner = ora({ text, stream: streams.stderr, discardStdin: false }).start();
  try {
    return await work;
  } finally {
    spinner.stop();
  }
}

/** Whether a line may change in place: not in a log, nor for a screen reader (`ACCESSIBLE`). */
function mayMove({ stderr, env }: Pick<Host, 'stderr' | 'env'>): boolean {
  return stderr.isTTY && !env['CI'] && !env['ACCESSIBLE'] && env['TERM'] !== 'dumb';
}

/** Creates the text for each update, for a line of this width; `red` is undefined unless it changes in place. */
type Draw = (columns: number, red?: Paint) => string;

export type Progress = ReturnType<typeof createProgress>;

/** Milliseconds until the first line, and between updates of the line. */
const [first, redrawn] = [300, 250];
/** Milliseconds between notes. */
export const noteInterval = 30_000;
/** The width of a note. */
const noteColumns = 100;

type Machine = Pick<Host, 'env' | 'later' | 'stderr' | 'stdout'>;
type Flags = Pick<Globals, 'debug' | 'output' | 'quiet'>;

/** The current activity of a command: a live line on a terminal, elsewhere a note every 30 s. */
export function createProgress(host: Machine, flags: Flags, reporter: Reporter, red: Paint) {
  const { stderr, stdout } = host;
  // Result lines on the same screen would overwrite the live line.
  const isFree = !flags.debug && !(stdout.isTTY && flags.output === 'ndjson');
  const isLive = isFree && mayMove(host);
  let text: Draw | undefined;
  let cancel: (() => void) | undefined;
  let last = '';
  return {
    /** Shows this text from now on. */
    follow(next: Draw) {
      text = next;
      if (!flags.quiet) cancel ??= host.later(isLive ? first : noteInterval, update);
    },
    /** Removes the line. */
    end() {
      cancel?.();
      [text, cancel] = [undefined, undefined];
      reporter.live('');
    },
  };

  function note(line: string): void {
    if (line !== last) reporter.note('progress', line);
    last = line;
  }

  function update(): void {
    // A line that is too long would move to a next one, and stay there.
    const width = (stderr.columns || 80) - 1;
    if (isLive) reporter.live(cut(text?.(width, red) ?? '', width));
    else if (text) note(text(noteColumns));
    cancel = host.later(isLive ? redrawn : noteInterval, update);
  }
}

/** A line without colors if it is too long, since their end would be cut off. */
function cut(line: string, width: number): string {
  return widthOf(line) <= width ? line : startOf(stripVTControlCharacters(line), width);
}
