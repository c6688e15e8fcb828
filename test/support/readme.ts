import { readFileSync } from 'node:fs';

export const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** What is entered in a terminal, and what the README shows of what is printed then. */
export interface Step {
  readonly command: string;
  readonly shown: string;
}

/** The code blocks of a section, in order. */
export function blocksIn(title: string): readonly string[] {
  const [, section = ''] = readme.split(`\n## ${title}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, text = '']) => text);
}

/** The steps of a block, which may begin with what is shown without a command. */
export function stepsIn(block: string): readonly Step[] {
  return block.split(/^\$ /m).flatMap((text, at) => {
    const [command = '', ...shown] = at === 0 ? ['', text] : text.split(/(?<=\n)/);
    return at === 0 && text === '' ? [] : [{ command: command.trim(), shown: shown.join('') }];
  });
}

const eventId = /\be[0-9a-hjkmnp-tv-z]{10,}\b/g;
const changing: readonly (readonly [RegExp, string])[] = [
  [/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME'],
  [/\b\d+ ms\b/g, 'SOME ms'],
  [eventId, 'EVENT'],
  [/\b(msg_sandbox|evt|ord_sandbox)_[0-9a-z]+/g, '$1_ID'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, '$1:PORT'],
];

/** What of a text is the same whenever and wherever it is printed. */
export function lasting(text: string): string {
  return changing.reduce((left, [pattern, name]) => left.replace(pattern, name), text);
}

export function eventIds(text: string): readonly string[] {
  return Array.from(text.matchAll(eventId), ([id]) => id);
}
