import { undoCsv, undoTsv } from '../../cell-escapes.ts';
import type { Piece, Whole } from './scan-record.ts';
import { afterBreak, lineEnd, pieceOf, scanRecord } from './scan-record.ts';
import { separatorIn } from './separator-line.ts';
import { obstacleReason, tooLong, wrongCount } from './table-reasons.ts';
import type { Damage, TextReader } from './text-reader.ts';

/** What takes a table's records, one by one. */
export interface RecordSink {
  record(cells: readonly string[], line: number): void;
  damage(damage: Damage): void;
}

export interface RecordOptions {
  readonly delimiter: string;
  /** How many characters a record may have. */
  readonly limit: number;
  /** Whether a tab-separated file has the backslash escapes of our exports. */
  readonly escaped?: boolean | undefined;
}

/**
 * Takes a table's text apart by RFC 4180; the first record says how many cells the others have. After a damaged one it
 * goes on with the line after the one on which that began, so a quote that never closes costs its own line and not what
 * follows. Nothing is searched over and over by that: lines inside a quote have an even number of quotes, and such a
 * line ends outside a quote where it begins outside one.
 */
export function createRecordReader({ delimiter, limit, escaped }: RecordOptions, sink: RecordSink): TextReader {
  // What ends a line is no part of it.
  const most = limit + 2;
  const undo = delimiter !== '\t' ? undoCsv : escaped ? undoTsv : undefined;
  let [rest, line, width, skipping] = ['', 1, 0, false];

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

  /** Gives where to go on; undefined where more text is needed. */
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
    if (width === 0 && separatorIn(cells.join(delimiter)) !== undefined) return;
    width ||= cells.length;
    if (cells.length === width) return sink.record(undo ? cells.map(undo) : cells, line);
    const text = piece.text.slice(from, end).replace(/[\r\n]+$/, '');
    const lastLine = breaks === 0 ? undefined : line + breaks;
    sink.damage({ line, text, reason: wrongCount(cells.length, width, lastLine) });
  }

  /** The line alone on which it begins. */
  function leaveOut(piece: Piece, from: number, reason: string): number | undefined {
    const end = lineEnd(piece, from);
    const long = end - from > most;
    if (afterBreak(piece, end) === undefined && !long) return undefined;
    sink.damage({ line, text: long ? '' : piece.text.slice(from, end), reason });
    return skip(piece, end);
  }

  /** To the next line, which may not have come yet. */
  function skip(piece: Piece, from: number): number {
    const end = lineEnd(piece, from);
    const next = afterBreak(piece, end);
    skipping = next === undefined;
    if (!skipping) line++;
    return next ?? end;
  }

  return { push };
}
