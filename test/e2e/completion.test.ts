import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';

/** Encodes the typed words as the shims do. */
const ended = (texts: readonly string[]) => texts.map((text) => `${text}\0`).join('');

it.each([
  ['bash', 'bizmsg con', 'con'],
  ['zsh', 'bizmsg', 'con'],
  ['fish', 'bizmsg', 'con'],
])('completes for %s from the built command list', async (shell, ...texts) => {
  const { code, stdout, stderr } = await bin(['__complete', shell], { home: newHome(), input: ended(texts) });
  expect([code, stderr, stdout.includes('contacts')]).toEqual([0, '', true]);
});

it.each([
  ['the names of templates', ['send-template', '+12025550101', '']],
  ['the names of profiles', ['--profile', '']],
  ['commands', ['']],
])('starts no sandbox and writes nothing when it completes %s', async (_, words) => {
  const home = newHome();
  const { code } = await bin(['__complete', 'zsh'], { home, input: ended(['bizmsg', ...words]) });
  expect([code, readdirSync(home)]).toEqual([0, []]);
});

it('loads only three small modules of Node, and one to list ids', () => {
  const code = readFileSync(new URL('../../dist/cli/complete.body.cjs', import.meta.url), 'utf8');
  const later =
    /=new Proxy\(\{\},\{get:\(loaded,name\)=>loaded\[name\]\?\?=require\("node:child_process"\)\[name\]\}\)/;
  expect(code).toMatch(later);
  const loaded = [...code.replace(later, '').matchAll(/\b(?:require|import)\(([^)]*)\)/g)].map(([, name = '']) =>
    name.replaceAll(/["'`]/g, ''),
  );
  expect([...new Set(loaded)].sort()).toEqual(['node:fs', 'node:os', 'node:path']);
});

it('is missing from the help, and prints nothing for an unknown shell', async () => {
  const help = await bin(['--help'], { home: newHome() });
  const { code, stdout, stderr } = await bin(['__complete', 'tcsh'], { home: newHome(), input: ended(['bizmsg', '']) });
  expect([help.stdout.includes('__complete'), code, stdout, stderr]).toEqual([false, 2, '', '']);
});
