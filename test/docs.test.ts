import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { reference } from '../build/reference.ts';
import { tree } from '../src/commands/index.ts';
import { blocksIn, pages, sections } from './support/docs.ts';
import { posixOnly } from './support/system.ts';

posixOnly('it is about the docs, which are the same');

const root = fileURLToPath(new URL('..', import.meta.url));

describe('npm run docs', () => {
  it('has written the commands', async () => {
    expect(pages.get('docs/reference.md')).toBe(await reference(tree));
  });

  it('has written at most 1,200 lines', () => {
    expect(pages.get('docs/reference.md')?.split('\n').length).toBeLessThanOrEqual(1_200);
  });
});

describe('the README', () => {
  const readme = pages.get('README.md') ?? '';

  it('has at most 150 lines', () => {
    expect(readme.split('\n').length - 1).toBeLessThanOrEqual(150);
  });

  it('shows the commands that install, send and test before its first section', () => {
    const [screen = ''] = readme.split('\n## ');
    const send = 'npx bizmsg send-template +12025550101 order_update -p Ada -p A-1042 --profile local';
    expect(screen).toContain(`npm ci\n${send}\n`);
    expect(screen).toContain('`npm test`');
  });
});

it('the pages show tests that are ours', () => {
  const shown = [
    ...blocksIn('README.md', 'Test your code', 1),
    ...blocksIn('docs/testing.md', 'A test with webhooks', 1),
    ...blocksIn('docs/testing.md', 'Contents, faults and plans', 1),
  ];
  expect(shown).toEqual(['welcome', 'sandbox', 'parts'].map((name) => text(`test/examples/${name}.test.ts`)));
});

describe.each([...pages])('%s', (file, page) => {
  it('links only to files and sections that exist', () => {
    const targets = [...page.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !exists(file, target))).toEqual([]);
  });
});

it('has no block that no test runs', () => {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const sources = tests.filter((file) => file.endsWith('.test.ts')).map((file) => text(`test/${file}`));
  const run = sources.flatMap((source) => [...source.matchAll(/blocksIn\(\s*'([^']+)',\s*'([^']+)',\s*\d+,?\s*\)/g)]);
  // test/e2e/examples.test.ts runs the examples of the commands.
  const shown = [...sections].filter(([file]) => file !== 'docs/reference.md');
  const titles = shown.flatMap(([file, found]) =>
    [...found].filter(([, blocks]) => blocks.length > 0).map(([title]) => `${file}: ${title}`),
  );
  expect(new Set(run.map(([, file, title]) => `${file}: ${title}`))).toEqual(new Set(titles));
});

describe('docs/api.md', () => {
  const chapters = pages.get('docs/api.md')?.split(/^## /m) ?? [];
  const references = [...files('src'), 'docs/sandbox.md'].flatMap((file) => text(file).match(/§\d+(\.\d+)?/g) ?? []);

  it.each([...new Set(references)])('has the section %s', (reference) => {
    const [number, rule = ''] = reference.slice(1).split('.');
    const chapter = chapters.find((one) => one.startsWith(`${number}. `));
    expect(chapter).toMatch(new RegExp(`^${rule && `${rule}\\. `}`, 'm'));
  });
});

describe('CONTRIBUTING.md', () => {
  const names = [...text('CONTRIBUTING.md').matchAll(/(?<!`)`([\w./-]+)`/g)].map(([, name = '']) => name);
  const paths = ['src', 'test', 'bench', 'build', 'bin', '.ci', '.github'].flatMap(files);
  const source = paths
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .map(text)
    .join('\n');

  it('names only files that exist', () => {
    const named = names.filter((name) => /\.(?:tsx?|m?js|json|md|yml)$/.test(name) && !existsSync(join(root, name)));
    expect(named.filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
  });

  it('names only functions, types and commands that the source has', () => {
    const named = names.filter((name) => /^\w+$/.test(name) && !existsSync(join(root, 'src', name)));
    expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
  });
});

/** Whether a link leads from a page to an existing file or section. */
function exists(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  const titles = [...(sections.get(file)?.keys() ?? [])];
  return existsSync(join(root, file)) && (anchor === undefined || titles.some((title) => anchorOf(title) === anchor));
}

/** The anchor that GitHub makes of a title. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

/** The files in a folder and below. */
function files(folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

function text(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
