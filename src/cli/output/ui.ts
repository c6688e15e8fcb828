import { unicodeEscaped } from '../../base/cell-escapes.ts';
import type { Host, Output } from '../../base/host.ts';
import { timeOfDay } from './figures.ts';
import { folded, safeLines } from './text.ts';

export type Paint = (text: string) => string;

type Colors = Readonly<Record<'green' | 'red' | 'yellow' | 'cyan' | 'bold' | 'dim', Paint>>;

export type Ui = ReturnType<typeof createUi>;

const asIs: Paint = (text) => text;
export const plain: Colors = { green: asIs, red: asIs, yellow: asIs, cyan: asIs, bold: asIs, dim: asIs };

/** https://no-color.org and https://force-color.org; --no-color overrides both. */
export async function colorsFor({ isTTY }: Pick<Output, 'isTTY'>, { argv, env }: Pick<Host, 'argv' | 'env'>) {
  const { FORCE_COLOR: force, NO_COLOR: none, TERM: term } = env;
  const isWanted = force === undefined ? isTTY && term !== 'dumb' : force !== '0' && force !== 'false';
  const isRefused = none || argv.includes('--no-color');
  if (!isWanted || isRefused) return plain;
  const { Chalk } = await import('chalk');
  // The colors that every terminal has.
  return new Chalk({ level: 1 });
}

export function createUi(
  { stdout, stderr, now }: Pick<Host, 'stdout' | 'stderr' | 'now'>,
  color: Colors,
  harmless: () => string | undefined,
) {
  const terminal = stdout.isTTY;
  // A pipe may end at a terminal, as in `| head`: marks that hide text are escaped.
  const marks = stderr.isTTY && !stdout.isFile;
  // A terminal without a size reports 0, and the size may change. A pipe has any.
  const width = () => (terminal ? stdout.columns || 80 : Infinity);
  return {
    color,
    get width() {
      return width();
    },
    terminal,
    marks,
    now,
    /** The colored verb, with "(simulated)" for a local sandbox and "(sandbox)" for a sandbox key. */
    done: (verb: string, paint: 'green' | 'yellow' = 'green') =>
      [color[paint](verb), ...(harmless() === undefined ? [] : [`(${harmless()})`])].join(' '),
    /** On a terminal, the time of day of an ISO time. */
    time: (iso: string) => (terminal ? timeOfDay(iso) : iso),
    /** Joins fields to a line; a narrow terminal gets it wrapped between them. */
    line: (fields: readonly string[], indent?: string) => folded(fields, width(), indent),
    /** Makes outside text safe for a terminal, and for a pipe that may end at one; keeps its lines. */
    outside: (text: string) => (terminal ? safeLines(text) : unicodeEscaped(text, { marks })),
  };
}
