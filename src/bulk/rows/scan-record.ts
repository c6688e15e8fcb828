import type { FindAhead } from './find-ahead.ts';
import { findAhead } from './find-ahead.ts';

/** A piece of a table's text, to be taken apart. */
export interface Piece {
  readonly text: string;
  readonly delimiter: string;
  /** Whether the input ends with it. */
  readonly last: boolean;
  readonly quote: FindAhead;
  readonly delimited: FindAhead;
  readonly newline: FindAhead;
  readonly carriage: FindAhead;
}

export interface Whole {
  readonly cells: readonly string[];
  /** Where the next one begins. */
  readonly end: number;
  /** Line breaks inside its cells. */
  readonly breaks: number;
}

/** What stands in the way: a quote where none may stand, or the end of the text. */
export interface Obstacle {
  readonly stray?: number;
  /** Where the quote opened that has not closed by the end of the text. */
  readonly opened?: number;
}

type Scan = Whole | Obstacle;

export function pieceOf(text: string, delimiter: string, last: boolean): Piece {
  const find = (character: string) => findAhead(text, character);
  const [quote, delimited, newline, carriage] = [find('"'), find(delimiter), find('\n'), find('\r')];
  return { text, delimiter, last, quote, delimited, newline, carriage };
}

/** Where the line ends on which this place is: at the end of the text where nothing ends it. */
export function lineEnd({ text, newline, carriage }: Piece, from: number): number {
  return Math.min(newline(from), carriage(from), text.length);
}

/** Where the next line begins; undefined where what comes next may belong to this line's end. */
export function afterBreak({ text, last }: Piece, end: number): number | undefined {
  if (end >= text.length) return last ? end : undefined;
  if (text[end] === '\n') return end + 1;
  if (end + 1 >= text.length && !last) return undefined;
  return text[end + 1] === '\n' ? end + 2 : end + 1;
}

/** The record that begins here: most hold no quote, and are a line split at the delimiters. */
export function scanRecord(piece: Piece, from: number): Scan {
  const end = lineEnd(piece, from);
  if (piece.quote(from) < end) return scanQuoted(piece, from);
  const next = afterBreak(piece, end);
  if (next === undefined) return {};
  return { cells: piece.text.slice(from, end).split(piece.delimiter), end: next, breaks: 0 };
}

function scanQuoted(piece: Piece, from: number): Scan {
  const cells: string[] = [];
  let [at, breaks] = [from, 0];
  for (;;) {
    const cell = piece.text[at] === '"' ? quotedCell(piece, at) : plainCell(piece, at);
    if (!('end' in cell)) return cell;
    cells.push(cell.text);
    breaks += cell.breaks;
    at = cell.end + 1;
    if (piece.text[cell.end] === piece.delimiter) continue;
    const end = afterBreak(piece, cell.end);
    return end === undefined ? {} : { cells, end, breaks };
  }
}

type Cell = { readonly text: string; readonly end: number; readonly breaks: number } | Obstacle;

function plainCell(piece: Piece, from: number): Cell {
  const end = Math.min(piece.delimited(from), lineEnd(piece, from));
  const stray = piece.quote(from);
  // Between tabs a quote means something only where it opens a cell.
  return stray < end && piece.delimiter !== '\t' ? { stray } : { text: piece.text.slice(from, end), end, breaks: 0 };
}

function quotedCell(piece: Piece, opened: number): Cell {
  const { text, delimiter, last } = piece;
  let [at, doubled] = [piece.quote(opened + 1), false];
  while (text[at + 1] === '"') [at, doubled] = [piece.quote(at + 2), true];
  if (at === Infinity || (at + 1 === text.length && !last)) return { opened };
  const next = text[at + 1];
  if (next !== undefined && next !== delimiter && next !== '\n' && next !== '\r') return { stray: at };
  const inner = text.slice(opened + 1, at);
  const breaks = lineEnd(piece, opened) < at ? breaksIn(inner) : 0;
  return { text: doubled ? inner.replaceAll('""', '"') : inner, end: at + 1, breaks };
}

export function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
