import { TextDecoder } from 'node:util';
import { usage } from '../../base/errors.ts';

/** The encoding that spreadsheets on Windows write. */
export const likelyEncoding = 'windows-1252';

/** Returns the encoding of the byte order mark, or else the one asked for. */
export function encodingOf(head: Uint8Array, asked = 'utf-8'): string {
  try {
    const { encoding } = new TextDecoder(asked);
    return marks.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte))?.encoding ?? encoding;
  } catch {
    const hint = 'try utf-8, utf-16le, windows-1252, iso-8859-2 or shift_jis';
    throw usage(`--encoding: "${asked}" is not an encoding`, hint);
  }
}

const marks = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/** Decodes the beginning of a file, even if it is damaged or cut off. */
export function decodedHead(head: Buffer, encoding: string): string {
  return encoding === likelyEncoding ? windowsText(head) : new TextDecoder(encoding).decode(head);
}

/** Decodes bytes, without the byte order mark. */
export async function* decoded(bytes: AsyncIterable<Buffer>, encoding: string, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  for await (const chunk of bytes) {
    const text = decode(chunk);
    yield text;
    line += linesIn(text);
  }
  yield decode();

  function decode(chunk: Buffer = Buffer.alloc(0)): string {
    if (encoding === likelyEncoding) return windowsText(chunk);
    try {
      return decoder.decode(chunk, { stream: chunk.length > 0 });
    } catch {
      const valid = decodedHead(chunk, encoding).split('\ufffd', 1)[0] ?? '';
      const hint =
        'pass its encoding, such as --encoding windows-1252 for spreadsheets on Windows, or save it as UTF-8';
      throw usage(`line ${line + linesIn(valid)} of "${name}" is not ${encoding.toUpperCase()}`, hint);
    }
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1;
}

/** The characters of the bytes 0x80 to 0x9f. */
const windowsCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Decodes windows-1252, for which Node 20 returns invisible characters. */
function windowsText(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (character) => windowsCharacters[character.charCodeAt(0) - 0x80] ?? '');
}

/** Returns three words that are not ASCII, so that a person can check the encoding; none if it is UTF-8. */
export function foreignWords(head: Buffer): readonly string[] {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return [];
  } catch {
    const words = windowsText(head).match(/[\p{L}\p{M}]*[^\p{ASCII}][\p{L}\p{M}]*/gu) ?? [];
    return [...new Set(words.filter((word) => /\p{L}/u.test(word)))].slice(0, 3);
  }
}

/** Text that a program has read in another encoding than it was written in: "JÃ¼rgen", or "Hallo ??" for an emoji. */
export const damagedText = /\p{L}{0,20}(?:Ã[\u0080-\u00bf‚„Š‹Œ‘’“”•–—™š›œžŸ]|â€|\ufffd)\p{L}{0,20}|\p{L}{1,20} \?\?/u;
