import { stripVTControlCharacters } from 'node:util';

// East Asian letters and emoji take two columns.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\ufe0f|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
let segmenter: Intl.Segmenter | undefined;

/** How many columns of a terminal a text takes; colours and marks upon a letter take none. */
export function widthOf(text: string): number {
  const bare = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(bare)) return bare.length;
  return letters(bare).reduce((sum, letter) => sum + (wide.test(letter) ? 2 : 1), 0);
}

/** The end of a text, in so many columns: where ids of a kind begin alike, that is what tells them apart. */
export function endOf(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const left = [...letters(text)];
  while (left.length > 0 && widthOf(left.join('')) > width - 1) left.shift();
  return `…${left.join('')}`;
}

/** With its marks each; a family of emoji is one. */
function letters(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('en');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
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
