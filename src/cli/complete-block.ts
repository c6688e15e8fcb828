const mark = '# bizmsg completion';
const [opening, closing] = ['# >>> bizmsg completion >>>', '# <<< bizmsg completion <<<'];
/** How many line feeds stand before the block that were not there, so that they are taken back with it. */
const leads = [
  '',
  `${mark} added the line feed before this\n`,
  `${mark} added the two line feeds before this\n`,
] as const;
const alone = `${mark} made this file\n`;

const block = `(?:${opening}\n(?:(?!${closing})[^])*${closing}|[^\n]*${mark})$\n?`;
const atEnd = [2, 1].map((count) => new RegExp(`\n{${count}}^${leads[count]}${block}(?![^])`, 'm'));
const anywhere = new RegExp(`^(?:${leads[1]}|${leads[2]}|${alone})?${block}`, 'gm');

/** A line that is known again. */
export function markedLine(text: string): string {
  return `${text} ${mark}\n`;
}

export function markedLines(lines: readonly string[]): string {
  return `${[opening, ...lines, closing].join('\n')}\n`;
}

/** The text of a start-up file with the block in it; undefined where there is no such file. */
export function withBlock(before: string | undefined, added: string): string {
  if (before?.includes(added)) return before;
  const rest = withoutBlock(before ?? '');
  if (before === undefined || isAlone(before)) return `${alone}${added}`;
  const count = feedsBefore(rest);
  return `${rest}${'\n'.repeat(count)}${leads[count]}${added}`;
}

/** The same text as it was before. */
export function withoutBlock(text: string): string {
  const kept = atEnd.reduce((left, pattern) => left.replace(pattern, ''), text);
  return kept.replace(anywhere, '');
}

/** There was no file before, and nobody has written to it since. */
export function isAlone(text: string): boolean {
  return text.startsWith(alone) && withoutBlock(text) === '';
}

/** What ends with a backslash goes on in the next line, and would take it in. */
function feedsBefore(text: string): 0 | 1 | 2 {
  const goesOn = /\\\n?$/.test(text);
  const isWhole = text === '' || text.endsWith('\n');
  if (isWhole) return goesOn ? 1 : 0;
  return goesOn ? 2 : 1;
}
