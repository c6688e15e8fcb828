import type { Obstacle, Piece } from './scan-record.ts';
import { breaksIn, lineEnd, pieceOf, scanRecord } from './scan-record.ts';

/** Where a record begins. */
interface Place {
  readonly piece: Piece;
  readonly from: number;
  readonly line: number;
}

const alone = 'this line alone is left out, and the next ones are read as rows of their own';

/** A record over several lines may have a quote too many, and rows of others in it. */
export function wrongCount(cells: number, width: number, lastLine: number | undefined): string {
  const told = `it has ${cells === 1 ? '1 cell' : `${cells} cells`} where the header has ${width}`;
  return lastLine === undefined ? told : `${told}, and takes up everything to line ${lastLine}`;
}

export function obstacleReason(place: Place, { stray, opened }: Obstacle): string {
  if (stray === undefined) return `the quote that opens on line ${lineOf(place, opened)} never closes; ${alone}`;
  const where = lineOf(place, stray);
  return `a quote stands on line ${where} where none may; a cell that holds quotes is quoted and has each twice`;
}

/** Told from the record's first characters alone, however much of it has come. */
export function tooLong(place: Place, limit: number): string {
  const size = `${limit} characters`;
  const beginning = pieceOf(place.piece.text.slice(place.from, place.from + limit), place.piece.delimiter, false);
  if (lineEnd(beginning, 0) === beginning.text.length) return `it is longer than ${size}`;
  const scan = scanRecord(beginning, 0);
  if (!('opened' in scan)) return `it is longer than ${size}; ${alone}`;
  const line = lineOf({ ...place, piece: beginning, from: 0 }, scan.opened);
  return `the quote that opens on line ${line} does not close within ${size}; ${alone}`;
}

function lineOf({ piece, from, line }: Place, at = from): number {
  return line + breaksIn(piece.text.slice(from, at));
}
