import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = readdirSync(`${root}docs`).filter((file) => file.endsWith('.md'));

/** The README and the pages of docs, by file. */
export const pages: ReadonlyMap<string, string> = new Map(
  ['README.md', ...files.map((file) => `docs/${file}`)].map((file) => [file, readFileSync(`${root}${file}`, 'utf8')]),
);

/** A command, and the output that a page shows for it. */
export interface Step {
  readonly command: string;
  readonly shown: string;
}

/** The sections of each page by title, with their code blocks. */
export const sections: ReadonlyMap<string, ReadonlyMap<string, readonly Block[]>> = new Map(
  [...pages].map(([file, text]) => [
    file,
    new Map(text.split(/^##? /m).map((section) => [section.split('\n', 1)[0] ?? '', blocksOf(section)])),
  ]),
);

interface Block {
  readonly language: string;
  readonly text: string;
}

function blocksOf(section: string): readonly Block[] {
  const blocks = section.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return [...blocks].map(([, language = '', text = '']) => ({ language, text }));
}

/** The code blocks of a section, in order. The expected count makes a test fail when a block is added. */
export function blocksIn(file: string, title: string, count: number): readonly string[] {
  const blocks = sections.get(file)?.get(title) ?? [];
  if (blocks.length !== count)
    throw new Error(`"${title}" in ${file} has ${blocks.length} code blocks, but the test expects ${count}`);
  return blocks.map(({ text }) => text);
}

/** The steps of a block; the first may be output without a command. */
export function stepsIn(block: string): readonly Step[] {
  return block.split(/^\$ /m).flatMap((text, at) => {
    const [command = '', ...shown] = at === 0 ? ['', text] : text.split(/(?<=\n)/);
    return at === 0 && text === '' ? [] : [{ command: command.trim(), shown: shown.join('') }];
  });
}

const variables: readonly (readonly [RegExp, string])[] = [
  [/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\d\d:\d\d:\d\d(\.\d{3})?/g, 'TIME'],
  [/ *\b\d+ ms\b/g, ' SOME ms'],
  [/\+\d+\.\d+ s\b/g, '+SOME s'],
  [/\bevt_[0-9a-f-]{36}\b/g, 'evt_ID'],
  [/\bwebhook-timestamp: \d+/g, 'webhook-timestamp: TIME'],
  [/\bv1,[\w+/]+=/g, 'v1,SIGNATURE'],
  [/\b(msg_sandbox|con_sandbox|ord_sandbox|evt|whk|dlv|flt)_[0-9a-z]+/g, '$1_ID'],
  [/(sk_(?:test|live)_…)\w{4}/g, '$1LAST'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, '$1:PORT'],
];

/** Replaces the parts of an output that change: times, durations, ids, ports and key endings. */
export function withoutVariables(text: string): string {
  return variables.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);
}
