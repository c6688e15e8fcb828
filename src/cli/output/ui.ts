import { unicodeEscaped } from '../cell-escapes.ts';
import type { Env } from '../host.ts';
import { safeLines } from './safe-text.ts';
import { narrowed } from './narrow.ts';
import { timeOfDay } from './times.ts';
import { folded } from './width.ts';

type Paint = (text: string) => string;

export interface Ui {
  readonly color: Readonly<Record<'green' | 'red' | 'yellow' | 'cyan' | 'bold' | 'dim', Paint>>;
  /** How many columns a line may take now. */
  readonly width: number;
  /** Whether somebody sees it, and no program reads it. */
  readonly terminal: boolean;
  readonly now: () => number;
  /** What was done, and whether only the sandbox on this machine did it. */
  done(verb: string, color?: 'green' | 'yellow'): string;
  /** Of a time in ISO's form what a terminal shows of it in a line of now. */
  time(iso: string): string;
  /** Fields in a line, which a terminal too narrow for it gets broken between them. */
  line(fields: readonly string[], indent?: string): string;
  /** A page of help, which a terminal too narrow for it gets laid out anew. */
  page(text: string): string;
  /** Text from outside with its lines: safe for a terminal, and for a pipe that may end at one. */
  outside(text: string): string;
}

const asIs: Paint = (text) => text;
const plain: Ui['color'] = { green: asIs, red: asIs, yellow: asIs, cyan: asIs, bold: asIs, dim: asIs };

export interface Surroundings {
  readonly terminal: boolean;
  readonly width: number;
  readonly noColor: boolean;
  readonly env: Env;
  readonly now: () => number;
  /** Whether a pipe may end at a terminal. */
  readonly marks?: boolean;
}

/** https://no-color.org and https://force-color.org; the flag wins over both. */
function wantsColor({ terminal, noColor, env }: Pick<Surroundings, 'terminal' | 'noColor' | 'env'>): boolean {
  if (noColor) return false;
  if (env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return terminal && env['TERM'] !== 'dumb';
}

export async function createUi(surroundings: Surroundings, simulated: () => boolean): Promise<Ui> {
  const color = wantsColor(surroundings) ? await colors() : plain;
  return {
    color,
    get width() {
      return surroundings.width;
    },
    terminal: surroundings.terminal,
    now: surroundings.now,
    done: (verb, paint = 'green') => `${color[paint](verb)}${simulated() ? ' (simulated)' : ''}`,
    time: (iso) => (surroundings.terminal ? timeOfDay(iso) : iso),
    line: (fields, indent) => folded(fields, surroundings.terminal ? surroundings.width : Infinity, indent),
    page: (text) => (surroundings.terminal ? narrowed(text, surroundings.width) : text),
    outside: (text) => (surroundings.terminal ? safeLines(text) : unicodeEscaped(text, surroundings)),
  };
}

async function colors(): Promise<Ui['color']> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}
