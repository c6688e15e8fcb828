import { unicodeEscaped } from '../../base/cell-escapes.ts';
import type { Env } from '../../base/host.ts';
import { timeOfDay } from './times.ts';
import { folded, safeLines } from './text.ts';

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

interface Surroundings {
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

/** What help is laid out for, and what it is not laid out below. */
const [usual, narrowest] = [80, 24];
/** Columns that a text wants beside a label, and what it is set in by beneath one. */
const [least, under] = [20, '    '];

/**
 * A page of help for a terminal that has fewer columns: its paragraphs and its lists are laid out anew, and what is to
 * be typed or was printed keeps its lines.
 */
export function narrowed(page: string, columns: number | undefined): string {
  const width = Math.max(columns || usual, narrowest);
  if (width >= usual) return page;
  return pieces(page.split('\n'))
    .map((piece) => laidOut(piece, width))
    .join('\n');
}

interface Piece {
  /** What stands before its text: the left column of a list, or nothing but spaces. */
  readonly label: string;
  text: string;
}

function pieces(lines: readonly string[]): readonly Piece[] {
  const made: Piece[] = [];
  for (const line of lines) {
    const last = made.at(-1);
    if (last && goesOn(line, last)) last.text += `${last.text && ' '}${line.trim()}`;
    else made.push(pieceOf(line));
  }
  return made;
}

/** A paragraph goes on at the margin, the text of a list deeper than its labels. */
function goesOn(line: string, { label, text }: Piece): boolean {
  if (line.trim() === '' || text.endsWith(':')) return false;
  const indent = line.search(/\S/);
  if (label === '') return indent === 0 && text !== '' && !text.startsWith('Usage:');
  return indent > 2 && !label.startsWith('  bizmsg');
}

function pieceOf(line: string): Piece {
  const [, label = '', text = ''] = /^( +(?:\S+(?: \S+)*(?: {2,}|$))?)(.*)$/.exec(line) ?? ['', '', line];
  return { label, text };
}

function laidOut({ label, text }: Piece, width: number): string {
  if (text === '') return label.trimEnd();
  // Where too little room is left beside the label, it has a line of its own.
  const isTight = label.trim() !== '' && label.length + least > width;
  const left = isTight ? under : label.replaceAll(/./g, ' ');
  const below = folded([text], width - left.length, '').replaceAll('\n', `\n${left}`);
  return isTight ? `${label.trimEnd()}\n${left}${below}` : label + below;
}
