import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reference } from '../src/cli/help.ts';
import { tree } from '../src/commands/index.ts';
import { readme, sections } from './support/readme.ts';

it('has the command reference that npm run docs writes', async () => {
  const written = readFileSync(new URL('../docs/reference.md', import.meta.url), 'utf8');
  expect(written).toBe(await reference(tree));
});

it('shows on its first screen what it is, the command that sends and the command that tests', () => {
  const screen = readme.split('\n').slice(0, 24).join('\n');
  expect(screen).toContain(
    'npm ci && npx bizmsg send-template +12025550101 order_update -p Ada -p A-1042 --profile local',
  );
  expect(screen).toContain('npm test');
});

it('shows a test that is one of ours', () => {
  const example = readFileSync(new URL('examples/sandbox.test.ts', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});

it('leads only to files and sections that are there', () => {
  const anchors = new Set([...sections.keys(), 'Reference'].map(anchorOf));
  const targets = [...readme.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, target = '']) => target);
  const isThere = (target: string) => anchors.has(target) || existsSync(`${here}../${target}`);
  expect(targets.filter((target) => !isThere(target))).toEqual([]);
});

it('has no line for a shell that no test runs', () => {
  const files = readdirSync(new URL('.//', import.meta.url), { recursive: true, encoding: 'utf8' });
  const tests = files.filter((file) => file.endsWith('.test.ts')).map((file) => readFileSync(`${here}${file}`, 'utf8'));
  const run = tests.flatMap((text) => [...text.matchAll(/blocksIn\(\s*'([^']+)',\s*(\d+),?\s*\)/g)]);
  const typed = [...sections].filter(([, blocks]) => blocks.some(({ language }) => forShells.has(language)));
  expect(new Map(run.map(([, title, count]) => [title, Number(count)]))).toEqual(
    new Map(typed.map(([title, blocks]) => [title, blocks.length])),
  );
});

const here = new URL('.//', import.meta.url).pathname;
const forShells = new Set(['console', 'sh', 'crontab']);

/** As GitHub makes it of a title. */
function anchorOf(title: string): string {
  return `#${title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')}`;
}
