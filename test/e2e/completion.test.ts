import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';

/** Encodes the typed words as the shims do. */
const ended = (texts: readonly string[]) => texts.map((text) => `${text}\0`).join('');

it.each([
  ['bash', 'bizmsg con', 'con'],
  ['zsh', 'bizmsg', 'con'],
  ['fish', 'bizmsg', 'con'],
])('completes for %s in the built program', async (shell, ...texts) => {
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
