import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shellQuote } from '../../src/base/shell-quote.ts';
import { suggestFile } from '../../src/cli/input.ts';
import { newHome } from '../support/fake-service.ts';
import { isWindows } from '../support/system.ts';

it.each([
  ['peple.csv', 'people.csv'],
  // On Windows, it is the same file.
  ['People.csv', isWindows ? undefined : 'people.csv'],
  ['people', 'people.csv'],
  ['people.tsv', 'people.csv'],
  ['in/ordes.csv', 'in/orders.csv'],
  ['two word.csv', 'two words.csv'],
  ['contacts.csv', undefined],
  ['none/people.csv', undefined],
  ['people.csv', undefined],
  ['link.csv', undefined],
  ['', undefined],
])('for %j suggests %j', (typed, meant) => {
  const home = newHome();
  mkdirSync(join(home, 'in'));
  symlinkSync('nothing', join(home, 'link.csv'));
  for (const name of ['people.csv', 'two words.csv', 'in/orders.csv']) writeFileSync(join(home, name), '');
  expect(suggestFile(`${home}/${typed}`)).toBe(meant && `did you mean ${shellQuote(join(home, meant))}?`);
});
