import { tsvCell, unescapeCsv, unescapeTsv } from '../../base/cell-escapes.ts';
import type { Damage, TextReader } from './row.ts';

/** Receives the records of a table one by one. */
interface RecordSink {
  record(cells: readonly string[], line: number): void;
  damage(damage: Damage): void;
}

export interface RecordOptions {
  readonly delimiter: string;
  /** Maximum length of a record in characters. */
  readonly limit: number;
  /** Whether a tab-separated file has the backslash escapes of our exports. */
  readonly escaped?: boolean | undefined;
}

/**
 * Parses a table (RFC 4180); the first record sets the number of cells. After a damaged record it continues with the
 * next line, so an unclosed quote costs one line and not the rest of the file. No part is scanned repeatedly: a line
 * inside a quote has an even number of quotes, so if it starts outside a quote it also ends outside one.
 */
export function createRecordReader({ delimiter, limit, escaped }: RecordOptions, sink: RecordSink): TextReader {
  // The line break does not count.
  const most = limit + 2;
  const undo = delimiter !== '\t' ? unescapeCsv : escaped ? unescapeTsv : undefined;
  let [rest, line, width, isFirst, skipping] = ['', 1, 0, true, false];

  function push(text: string, last: boolean): void {
    const piece = pieceOf(rest + text, delimiter, last);
    let at = skipping ? skip(piece, 0) : 0;
    while (at < piece.text.length) {
      const next = take(piece, at);
      if (next === undefined) break;
      at = next;
    }
    rest = piece.text.slice(at);
  }

  /** Returns where the next record begins, or undefined if more text is needed. */
  function take(piece: Piece, from: number): number | undefined {
    const scan = scanRecord(piece, from);
    const reached = 'end' in scan ? scan.end : (scan.stray ?? piece.text.length - 1) + 1;
    if (reached - from > most) return leaveOut(piece, from, tooLong({ piece, from, line }, limit));
    if ('end' in scan) {
      give(piece, from, scan);
      line += scan.breaks + 1;
      return scan.end;
    }
    if (scan.stray === undefined && !piece.last) return undefined;
    return leaveOut(piece, from, obstacleReason({ piece, from, line }, scan));
  }

  function give(piece: Piece, from: number, { cells, end, breaks }: Whole): void {
    if (cells.every((cell) => cell === '')) return;
    if (isFirst && separatorIn(cells.join(delimiter)) !== undefined) return;
    isFirst = false;
    width ||= cells.length;
    if (cells.length === width) return sink.record(undo ? cells.map(undo) : cells, line);
    const text = piece.text.slice(from, end).replace(/[\r\n]+$/, '');
    const lastLine = breaks === 0 ? undefined : line + breaks;
    sink.damage({ line, text, reason: wrongCount(cells.length, width, lastLine) });
  }

  /** Skips only the line on which the record begins. */
  function leaveOut(piece: Piece, from: number, reason: string): number | undefined {
    const end = lineEnd(piece, from);
    const long = end - from > most;
    if (afterBreak(piece, end) === undefined && !long) return undefined;
    sink.damage({ line, text: long ? '' : piece.text.slice(from, end), reason });
    return skip(piece, end);
  }

  /** Skips to the next line, which may not have arrived yet. */
  function skip(piece: Piece, from: number): number {
    const end = lineEnd(piece, from);
    const next = afterBreak(piece, end);
    skipping = next === undefined;
    if (!skipping) line++;
    return next ?? end;
  }

  return { push };
}

/** A part of the text, with a cursor for each special character. */
interface Piece {
  readonly text: string;
  readonly delimiter: string;
  /** Whether it is the end of the input. */
  readonly last: boolean;
  readonly quote: FindAhead;
  readonly delimited: FindAhead;
  readonly newline: FindAhead;
  readonly carriage: FindAhead;
}

interface Whole {
  readonly cells: readonly string[];
  /** The start of the next record. */
  readonly end: number;
  /** Line breaks inside its cells. */
  readonly breaks: number;
}

/** A misplaced quote, or the end of the text inside a record. */
interface Obstacle {
  readonly stray?: number;
  /** The position of a quote that is still open at the end of the text. */
  readonly opened?: number;
}

type Scan = Whole | Obstacle;

function pieceOf(text: string, delimiter: string, last: boolean): Piece {
  const find = (character: string) => findAhead(text, character);
  const [quote, delimited, newline, carriage] = [find('"'), find(delimiter), find('\n'), find('\r')];
  return { text, delimiter, last, quote, delimited, newline, carriage };
}

/** The end of the current line, or of the text. */
function lineEnd({ text, newline, carriage }: Piece, from: number): number {
  return Math.min(newline(from), carriage(from), text.length);
}

/** The start of the next line; undefined if the next chunk may continue the line break. */
function afterBreak({ text, last }: Piece, end: number): number | undefined {
  if (end >= text.length) return last ? end : undefined;
  if (text[end] === '\n') return end + 1;
  if (end + 1 >= text.length && !last) return undefined;
  return text[end + 1] === '\n' ? end + 2 : end + 1;
}

/** Scans one record. Most have no quote and are simply split at the delimiters. */
function scanRecord(piece: Piece, from: number): Scan {
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
  // In TSV, a quote is special only at the start of a cell.
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

function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** Finds the next occurrence of a character. */
interface FindAhead {
  /** Infinity without one. */
  (from: number): number;
}

/** Caches the last result, so that a text without the character is searched once and not once per row. */
function findAhead(text: string, character: string): FindAhead {
  let [from, found] = [0, -1];
  return (start) => {
    if (start >= from && start <= found) return found;
    const at = text.indexOf(character, start);
    [from, found] = [start, at === -1 ? Infinity : at];
    return found;
  };
}

/** The start of a record. */
interface RecordStart {
  readonly piece: Piece;
  readonly from: number;
  readonly line: number;
}

const alone = 'only this line is skipped; the next lines are read as rows of their own';

/** A record over several lines may contain other rows because of an extra quote. */
function wrongCount(cells: number, expected: number, lastLine: number | undefined): string {
  const reason = `it has ${cells === 1 ? '1 cell' : `${cells} cells`}, and the header has ${expected}`;
  return lastLine === undefined ? reason : `${reason}; it extends to line ${lastLine}`;
}

function obstacleReason(place: RecordStart, { stray, opened }: Obstacle): string {
  if (stray === undefined) return `unclosed quote on line ${lineOf(place, opened)}; ${alone}`;
  const where = lineOf(place, stray);
  return `misplaced quote on line ${where}; quote a cell that contains quotes, and double each of them`;
}

/** Looks only at the first characters of the record, so that the message does not depend on the chunks. */
function tooLong(place: RecordStart, limit: number): string {
  const size = `${limit} characters`;
  const beginning = pieceOf(place.piece.text.slice(place.from, place.from + limit), place.piece.delimiter, false);
  if (lineEnd(beginning, 0) === beginning.text.length) return `it is longer than ${size}`;
  const scan = scanRecord(beginning, 0);
  if (!('opened' in scan)) return `it is longer than ${size}; ${alone}`;
  const line = lineOf({ ...place, piece: beginning, from: 0 }, scan.opened);
  return `the quote on line ${line} does not close within ${size}; ${alone}`;
}

function lineOf({ piece, from, line }: RecordStart, at = from): number {
  return line + breaksIn(piece.text.slice(from, at));
}

const form = /^sep=([,;\t|])$/i;

/** The delimiter in the line `sep=;` that Excel writes before the header. */
function separatorIn(line: string): string | undefined {
  return form.exec(line)?.[1];
}

const delimiters = [',', ';', '\t', '|'] as const;

/** Picks the delimiter with which most of the first records have as many cells as the header; default: comma. */
export function delimiterOf(head: string, whole: boolean): string {
  const named = separatorIn(/^[^\r\n]*/.exec(head)?.[0] ?? '');
  if (named !== undefined) return named;
  const tried = delimiters.map((delimiter) => ({ delimiter, ...fit(head, delimiter, whole) }));
  const [best] = tried.sort((a, b) => b.share - a.share || b.cells - a.cells);
  return best?.delimiter ?? ',';
}

function fit(head: string, delimiter: string, whole: boolean) {
  let [records, damaged, cells] = [0, 0, 0];
  const reader = createRecordReader(
    { delimiter, limit: head.length },
    {
      record: (record) => {
        cells ||= record.length;
        records++;
      },
      damage: () => damaged++,
    },
  );
  reader.push(head, whole);
  return { cells, share: cells < 2 ? 0 : records / (records + damaged) };
}

/** Formats a record. Any delimiter in a cell is quoted, so that a later import detects the right one. */
export function recordText(
  cells: readonly string[],
  { delimiter, escaped }: Pick<RecordOptions, 'delimiter' | 'escaped'>,
): string {
  if (delimiter !== '\t') return cells.map((cell) => quoted(guarded(cell))).join(delimiter);
  return cells.map(escaped ? (cell) => tsvCell(cell) : quoted).join(delimiter);
}

/** Adds an apostrophe to a cell that an import would otherwise change; the import removes it. */
function guarded(cell: string): string {
  return unescapeCsv(cell) === cell ? cell : `'${cell}`;
}

/** Also quotes backslashes: in a file with quoted cells they are literal. */
function quoted(cell: string): string {
  return /[",;\t|\r\n\\]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * The meaning of backslashes in TSV: `undone` are escapes of our own exports, `kept` are literal although some look like
 * escapes; with `none` nothing looks like one.
 */
export type Escapes = 'undone' | 'kept' | 'none';

/** Receives a file's text in chunks. */
export interface EscapeScan {
  push(text: string, last: boolean): void;
  found(): Escapes;
}

const [escape, longestEscape] = [/\\(?:[\\trn0]|u[0-9a-f]{4})/y, 6];

/**
 * Our exports escape every backslash, and a quote at the start of a cell. So a single backslash that starts no escape,
 * or a quoted cell, shows that another program wrote the file, and its backslashes are literal.
 */
export function createEscapeScan(): EscapeScan {
  let [rest, before, isForeign, hasEscapes] = ['', '\n', false, false];

  function push(text: string, last: boolean): void {
    const piece = rest + text;
    const telling = /[\\"]/g;
    rest = '';
    for (let found = telling.exec(piece); found; found = telling.exec(piece)) {
      const at = found.index;
      if (!last && at + longestEscape > piece.length) {
        rest = piece.slice(at);
        break;
      }
      telling.lastIndex = at + look(piece, at);
    }
    const end = piece.length - rest.length;
    before = piece[end - 1] ?? before;
  }

  /** The number of characters consumed. */
  function look(piece: string, at: number): number {
    const opensCell = /[\t\r\n]/.test(piece[at - 1] ?? before);
    if (piece[at] === '"') {
      isForeign ||= opensCell;
      return 1;
    }
    escape.lastIndex = at;
    const size = opensCell && piece[at + 1] === '"' ? 2 : (escape.exec(piece)?.[0].length ?? 0);
    if (size > 0) hasEscapes = true;
    else isForeign = true;
    return size || 1;
  }

  return {
    push,
    found: () => (!hasEscapes ? 'none' : isForeign ? 'kept' : 'undone'),
  };
}
