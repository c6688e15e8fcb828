import { folded } from './width.ts';

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
