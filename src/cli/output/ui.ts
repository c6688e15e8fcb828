import { unicodeEscaped } from '../../base/cell-escapes.ts';
import type { Host, Output } from '../../base/host.ts';
import { timeOfDay } from './figures.ts';
import { folded, safeLines } from './text.ts';

export type Paint = (text: string) => string;

export interface Ui {
  readonly color: Readonly<Record<'green' | 'red' | 'yellow' | 'cyan' | 'bold' | 'dim', Paint>>;
  /** The current width of the terminal; a pipe has any. */
  readonly width: number;
  /** Whether the output is a terminal. */
  readonly terminal: boolean;
  /** Whether a pipe may end at a terminal, so that marks that hide text are escaped. */
  readonly marks: boolean;
  readonly now: () => number;
  /** The colored verb, with "(simulated)" for a local sandbox and "(sandbox)" for a sandbox key. */
  done(verb: string, color?: 'green' | 'yellow'): string;
  /** On a terminal, the time of day of an ISO time. */
  time(iso: string): string;
  /** Joins fields to a line; a narrow terminal gets it wrapped between them. */
  line(fields: readonly string[], indent?: string): string;
  /** Makes outside text safe for a terminal, and for a pipe that may end at one; keeps its lines. */
  outside(text: string): string;
}

const asIs: Paint = (text) => text;
export const plain: Ui['color'] = { green: asIs, red: asIs, yellow: asIs, cyan: asIs, bold: asIs, dim: asIs };

/** https://no-color.org and https://force-color.org; --no-color overrides both. */
export async function colorsFor({ isTTY }: Pick<Output, 'isTTY'>, { argv, env }: Pick<Host, 'argv' | 'env'>) {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = env;
  const isWanted = force === undefined ? isTTY && term !== 'dumb' : force !== '0' && force !== 'false';
  const isRefused = none || argv.some((word) => /^--no-colou?r$/.test(word));
  return isWanted && !isRefused ? (await import('./color.ts')).color : plain;
}

export function createUi(
  { stdout, stderr, now }: Pick<Host, 'stdout' | 'stderr' | 'now'>,
  color: Ui['color'],
  harmless: () => string | undefined,
): Ui {
  const terminal = stdout.isTTY;
  // A pipe may end at a terminal, as in `| head`.
  const marks = stderr.isTTY && !stdout.isFile;
  const ui: Ui = {
    color,
    // A terminal without a size reports 0, and the size may change.
    get width() {
      return terminal ? stdout.columns || 80 : Infinity;
    },
    terminal,
    marks,
    now,
    done: (verb, paint = 'green') =>
      [color[paint](verb), ...(harmless() === undefined ? [] : [`(${harmless()})`])].join(' '),
    time: (iso) => (terminal ? timeOfDay(iso) : iso),
    line: (fields, indent) => folded(fields, ui.width, indent),
    outside: (text) => (terminal ? safeLines(text) : unicodeEscaped(text, { marks })),
  };
  return ui;
}
