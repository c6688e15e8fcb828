import { stripVTControlCharacters } from 'node:util';
import { unseen } from '../../base/posix-quote.ts';

/** Our own notes have no other characters beside ASCII. */
const harmless = /^[ -~\n·…]*$/;
let expressions: ReturnType<typeof unsafeCharacters> | undefined;

/** Made on first use, because that takes a millisecond and most texts are harmless. */
function unsafeCharacters() {
  return {
    // Colors and the like. Without its escape, the rest of one would split a key, which redaction then does not find.
    sequence: /(?:\u001b\[|\u009b)[\d;?]*[@-~]/g,
    // With C0 and C1 controls and DEL.
    hostile: new RegExp(String.raw`[\u0000-\u001f\u007f-\u009f]|${unseen}`, 'gu'),
    // Between Latin letters, joiners only make two words look alike.
    idle: new RegExp(String.raw`(?<=\p{Script=Latin})(?:[\u200c\u200d]|${unseen})+(?=\p{Script=Latin})`, 'gu'),
  };
}

/** Makes outside text safe for a terminal, on one line. */
export function safeLine(text: string): string {
  if (harmless.test(text) && !text.includes('\n')) return text;
  const { idle, hostile, sequence } = (expressions ??= unsafeCharacters());
  return text
    .replace(sequence, '')
    .replace(/[\t\r\n\u2028\u2029]+/g, ' ')
    .replace(idle, '')
    .replace(hostile, '');
}

/** Makes outside text safe for a terminal; keeps its lines. */
export function safeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => safeLine(line))
    .join('\n');
}

/** Escapes characters in JSON that a terminal interprets; the value does not change. */
export function safeJson(json: string): string {
  if (harmless.test(json)) return json;
  const { idle, hostile } = (expressions ??= unsafeCharacters());
  return json.replace(idle, escaped).replace(hostile, (found) => (found === '\n' ? found : escaped(found)));
}

/** Makes all texts of a value safe for a terminal, including field names. */
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
 * The width of a text in terminal columns; colors and combining marks have none. Stops measuring after `most`
 * columns.
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

/** Cuts a text at the end to a width. */
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

/** Cuts a text at the start to a width: ids of a kind differ at their ends. */
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
// Latin, Greek, Cyrillic, kana and Chinese letters; the last one may have combining marks.
const plain = /[ -~\u00a0-\u02ff\u0370-\u0482\u048a-\u052f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]*/y;

/** Counts the letters from here that need no segmenter. */
function plainLetters(text: string, start: number): number {
  plain.lastIndex = start;
  const { length } = plain.exec(text)?.[0] ?? '';
  return start + length < text.length ? Math.max(0, length - 1) : length;
}

/** Splits a text into graphemes, in pieces, because Node's segmenter takes quadratic time. */
function* letters(text: string): Generator<Letter> {
  segmenter ??= new Intl.Segmenter('en');
  let [start, size] = [0, pieceSize];
  while (start < text.length) {
    for (const end = start + plainLetters(text, start); start < end; start++)
      yield { segment: text.charAt(start), index: start };
    const found = Array.from(segmenter.segment(text.slice(start, start + size)));
    // The last grapheme of a piece may continue in the next one.
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

/** Joins fields to a line; breaks a long one between fields, or at spaces. */
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

/** Splits fields into unbreakable pieces with their leading space. */
function piecesOf(fields: readonly string[], room: number): readonly string[] {
  return fields.flatMap((field, at) => {
    const between = at === 0 ? '' : '  ';
    return widthOf(field) <= room ? [between + field] : (between + field).split(/(?<=\S)(?= \S)/);
  });
}
