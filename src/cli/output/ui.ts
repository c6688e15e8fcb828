import { unicodeEscaped } from '../../base/cell-escapes.ts';
import type { Env } from '../../base/host.ts';
import { timeOfDay } from './figures.ts';
import { folded, safeLines } from './text.ts';

type Paint = (text: string) => string;

export interface Ui {
  readonly color: Readonly<Record<'green' | 'red' | 'yellow' | 'cyan' | 'bold' | 'dim', Paint>>;
  /** The current width of the terminal. */
  readonly width: number;
  /** Whether the output is a terminal. */
  readonly terminal: boolean;
  readonly now: () => number;
  /** The colored verb, with "(simulated)" for a local sandbox and "(sandbox)" for a sandbox key. */
  done(verb: string, color?: 'green' | 'yellow'): string;
  /** On a terminal, the time of day of an ISO time. */
  time(iso: string): string;
  /** Joins fields to a line; a narrow terminal gets it wrapped between them. */
  line(fields: readonly string[], indent?: string): string;
  /** A help page, wrapped for a narrow terminal. */
  page(text: string): string;
  /** Makes outside text safe for a terminal, and for a pipe that may end at one; keeps its lines. */
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

/** https://no-color.org and https://force-color.org; --no-color overrides both. */
function wantsColor({ terminal, noColor, env }: Pick<Surroundings, 'terminal' | 'noColor' | 'env'>): boolean {
  if (noColor) return false;
  if (env['NO_COLOR']) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  return terminal && env['TERM'] !== 'dumb';
}

export async function createUi(surroundings: Surroundings, harmless: () => string | undefined): Promise<Ui> {
  const color = wantsColor(surroundings) ? await colors() : plain;
  return {
    color,
    get width() {
      return surroundings.width;
    },
    terminal: surroundings.terminal,
    now: surroundings.now,
    done: (verb, paint = 'green') =>
      [color[paint](verb), ...(harmless() === undefined ? [] : [`(${harmless()})`])].join(' '),
    time: (iso) => (surroundings.terminal ? timeOfDay(iso) : iso),
    line: (fields, indent) => folded(fields, surroundings.terminal ? surroundings.width : Infinity, indent),
    page: (text) => helpPage(text, surroundings),
    outside: (text) => (surroundings.terminal ? safeLines(text) : unicodeEscaped(text, surroundings)),
  };
}

async function colors(): Promise<Ui['color']> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

/** A help page as the terminal shows it: wrapped if that is narrow, with bold headings. */
export function helpPage(
  page: string,
  surroundings: Pick<Surroundings, 'terminal' | 'width' | 'noColor' | 'env'>,
): string {
  if (!surroundings.terminal) return page;
  const text = narrowed(page, surroundings.width);
  return wantsColor(surroundings) ? text.replaceAll(/^(?:[A-Z][^\n]*:$|Usage:)/gm, '\u001b[1m$&\u001b[22m') : text;
}

/** The usual and the smallest width of a help page. */
const [usual, narrowest] = [80, 24];
/** The smallest width of a text beside a label, and its indentation below one. */
const [least, under] = [20, '    '];

/**
 * Wraps a help page for a narrow terminal: paragraphs and lists are wrapped, examples and samples keep their lines.
 */
export function narrowed(page: string, columns: number | undefined): string {
  const width = Math.max(columns || usual, narrowest);
  if (width >= usual) return page;
  return pieces(page.split('\n'))
    .map((piece) => laidOut(piece, width))
    .join('\n');
}

interface Piece {
  /** The left column of a list, or spaces. */
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

/** Whether a line continues the piece: paragraphs continue at the margin, list texts with a deeper indentation. */
function goesOn(line: string, { label, text }: Piece): boolean {
  if (line.trim() === '' || text.endsWith(':')) return false;
  const indent = line.search(/\S/);
  if (label === '') return indent === 0 && text !== '' && !text.startsWith('Usage:');
  return indent > 2 && !label.startsWith('  bizmsg') && !label.endsWith('\\');
}

function pieceOf(line: string): Piece {
  const [, label = '', text = ''] = /^( +(?:\S+(?: \S+)*(?: {2,}|$))?)(.*)$/.exec(line) ?? ['', '', line];
  return { label, text };
}

function laidOut({ label, text }: Piece, width: number): string {
  if (text === '') return label.trimEnd();
  // A label with too little room beside it gets its own line.
  const isTight = label.trim() !== '' && label.length + least > width;
  const left = isTight ? under : label.replaceAll(/./g, ' ');
  const below = folded([text], width - left.length, '').replaceAll('\n', `\n${left}`);
  return isTight ? `${label.trimEnd()}\n${left}${below}` : label + below;
}
