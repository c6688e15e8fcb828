import { stripVTControlCharacters } from 'node:util';

// What hides or reorders text: soft hyphens, fillers, zero width, bidi, line separators, BOM, tags.
const unseen = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}`;
// C0 and C1 controls and DEL too.
const hostile = new RegExp(String.raw`[\u0000-\u001f\u007f-\u009f${unseen}]`, 'gu');
// Joiners belong to other scripts and to emoji; between Latin letters they only make two words look alike.
const idle = new RegExp(String.raw`(?<=\p{Script=Latin})[\u200c\u200d${unseen}]+(?=\p{Script=Latin})`, 'gu');

/** Text from outside on one line, with nothing in it that a terminal would act on. */
export function safeLine(text: string): string {
  return text
    .replace(/[\t\r\n\u2028\u2029]+/g, ' ')
    .replace(idle, '')
    .replace(hostile, '');
}

/** The same for text that may have lines of its own. */
export function safeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => safeLine(line))
    .join('\n');
}

/** JSON keeps its value: what a terminal would act on is escaped, not removed. */
export function safeJson(json: string): string {
  return json.replace(idle, escaped).replace(hostile, (found) => (found === '\n' ? found : escaped(found)));
}

/** A value all of whose texts, names of fields included, are safe lines. */
export function safeValue<T>(value: T): T;
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return safeLine(value);
  if (Array.isArray(value)) return value.map((item) => safeValue<unknown>(item));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [safeLine(key), safeValue<unknown>(item)]));
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );
}

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
