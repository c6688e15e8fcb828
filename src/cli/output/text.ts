import { stripVTControlCharacters } from 'node:util';
import { unicodeEscape } from '../../base/cell-escapes.ts';
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
  return text.split(/\r?\n/).map(safeLine).join('\n');
}

/** Escapes characters in JSON that a terminal interprets; the value does not change. */
export function safeJson(json: string): string {
  if (harmless.test(json)) return json;
  const { idle, hostile } = (expressions ??= unsafeCharacters());
  return json.replace(idle, unicodeEscape).replace(hostile, (mark) => (mark === '\n' ? mark : unicodeEscape(mark)));
}

/** Makes all texts of a value safe for a terminal, including field names. */
export function safeValue<T>(value: T): T;
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return safeLine(value);
  if (Array.isArray(value)) return value.map((item) => safeValue<unknown>(item));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [safeLine(key), safeValue<unknown>(item)]));
}

// East Asian letters and emoji take two columns.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\ufe0f|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
let segmenter: Intl.Segmenter | undefined;

/** Node's segmenter takes quadratic time. */
const mostMeasured = 1_000;

/** The width of a text in terminal columns; colors and combining marks have none. */
export function widthOf(text: string): number {
  const bare = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(bare) || bare.length > mostMeasured) return bare.length;
  return lettersIn(bare).reduce((width, letter) => width + columnsOf(letter), 0);
}

/** Cuts a text at the end to a width. */
export function startOf(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [start, taken] = ['', 1];
  for (const letter of lettersIn(text.slice(0, mostMeasured))) {
    taken += columnsOf(letter);
    if (taken > width) break;
    start += letter;
  }
  return `${start}…`;
}

function lettersIn(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('en');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function columnsOf(letter: string): number {
  return wide.test(letter) ? 2 : 1;
}

/** Joins fields to a line; breaks a long one at spaces. */
export function folded(fields: readonly string[], width: number, indent = '  '): string {
  const text = fields.join('  ');
  // A pipe has no width, and to measure the words of a long event there would take minutes.
  if (widthOf(text) <= width) return text;
  const lines: string[] = [];
  let [line = '', ...words] = text.split(/(?<=\S)(?=\s+[^\s·])/);
  for (const word of words) {
    if (widthOf(line) + widthOf(word) <= width) line += word;
    else {
      lines.push(line);
      line = indent + word.trimStart();
    }
  }
  return [...lines, line].join('\n');
}

/** Breaks a long command before options, so that the shell joins the lines again. */
export function foldedCommand(command: string, width: number, indent: string): string {
  const lines: string[] = [];
  // A quoted text is not broken.
  let [line = '', ...parts] = command.match(/(?:\\'|'[^']*'|[^' ]| (?![->]))+/g) ?? [];
  for (const part of parts) {
    if (widthOf(`${line} ${part} \\`) <= width) line += ` ${part}`;
    else {
      lines.push(`${line} \\`);
      line = indent + part;
    }
  }
  return [...lines, line].join('\n');
}
