import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';

/** Encodes the typed words as the shims do. */
const ended = (texts: readonly string[]) => texts.map((text) => `${text}\0`).join('');

it.each([
  ['the names of templates', ['send-template', '+12025550101', '']],
  ['the names of profiles', ['--profile', '']],
  ['commands', ['']],
])('starts no sandbox and writes nothing when it completes %s', async (_, words) => {
  const home = newHome();
  const { code } = await bin(['__complete', 'zsh'], { home, input: ended(['bizmsg', ...words]) });
  expect([code, readdirSync(home)]).toEqual([0, []]);
});
