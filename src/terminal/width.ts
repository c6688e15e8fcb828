import { stripVTControlCharacters } from 'node:util';

// East Asian letters and emoji take two columns.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\ufe0f|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
let segmenter: Intl.Segmenter | undefined;

/**
 * How many columns of a terminal a text takes; colors and marks upon a letter take none. Of a text that is wider than
 * `most` no more is looked at than shows it.
 */
export function widthOf(text: string, most = Infinity): number {
  const bare = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of letters(bare)) {
    width += columnsOf(segment);
    if (width > most) break;
  }
  return width;
}

/** The beginning of a text, in so many columns. */
export function startOf(text: string, width: number): string {
  if (widthOf(text, width) <= width) return text;
  let [end, taken] = [0, 1];
  for (const { segment, index } of letters(text)) {
    taken += columnsOf(segment);
    if (taken > width) break;
    end = index + segment.length;
  }
  return `${text.slice(0, end)}…`;
}

/** The end of a text, in so many columns: where ids of a kind begin alike, that is what tells them apart. */
export function endOf(text: string, width: number): string {
  if (widthOf(text, width) <= width) return text;
  let [start, taken] = [text.length, 1];
  for (const { segment, index } of Array.from(letters(text)).toReversed()) {
    taken += columnsOf(segment);
    if (taken > width) break;
    start = index;
  }
  return `…${text.slice(start)}`;
}

interface Letter {
  readonly segment: string;
  readonly index: number;
}

const pieceSize = 128;
// Latin, Greek, Cyrillic, kana and Chinese: each is a letter, but the last of them may have marks after it.
const plain = /[ -~\u00a0-\u02ff\u0370-\u0482\u048a-\u052f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]*/y;

/** How many letters there are from here on that need no segmenter. */
function plainLetters(text: string, start: number): number {
  plain.lastIndex = start;
  const { length } = plain.exec(text)?.[0] ?? '';
  return start + length < text.length ? Math.max(0, length - 1) : length;
}

/** With its marks each; a family of emoji is one. Read in pieces, since Node's segmenter takes quadratic time. */
function* letters(text: string): Generator<Letter> {
  segmenter ??= new Intl.Segmenter('en');
  let [start, size] = [0, pieceSize];
  while (start < text.length) {
    for (const end = start + plainLetters(text, start); start < end; start++)
      yield { segment: text.charAt(start), index: start };
    const found = Array.from(segmenter.segment(text.slice(start, start + size)));
    // The last letter of a piece may go on in the next one.
    const begun = start + size < text.length ? found.pop() : undefined;
    if (found.length === 0) {
      size *= 2;
      continue;
    }
    for (const { segment, index } of found) yield { segment, index: start + index };
    start = begun ? start + begun.index : text.length;
    size = pieceSize;
  }
}

function columnsOf(letter: string): number {
  return wide.test(letter) ? 2 : 1;
}

/** Fields on a line; where that is too long it is broken between them, and within one only at its spaces. */
export function folded(fields: readonly string[], width: number, indent = '  '): string {
  const lines: string[] = [];
  let [line = '', ...rest] = piecesOf(fields, width - indent.length);
  for (const piece of rest) {
    if (widthOf(line) + widthOf(piece) <= width) {
      line += piece;
      continue;
    }
    lines.push(line);
    line = indent + piece.trimStart();
  }
  return [...lines, line].join('\n');
}

/** What may begin a line, with the space before it. */
function piecesOf(fields: readonly string[], room: number): readonly string[] {
  return fields.flatMap((field, at) => {
    const between = at === 0 ? '' : '  ';
    return widthOf(field) <= room ? [between + field] : (between + field).split(/(?<=\S)(?= \S)/);
  });
}
