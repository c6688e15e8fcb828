import { expect, it } from 'vitest';
import { resumeLine } from '../../../src/commands/running/resume-line.ts';

it.each([
  [['contacts', 'import', 'people.csv', '--restart'], 'contacts import people.csv --resume'],
  [['contacts', 'import', 'people.csv', '--resume', '--allow-unsure'], 'contacts import people.csv --resume'],
  [['contacts', 'import', '--rate', '5/s', '--', '-odd.csv'], 'contacts import --rate 5/s --resume -- -odd.csv'],
  [['contacts', 'import', '--', '--restart'], 'contacts import --resume -- --restart'],
  [['contacts', 'import', 'people.csv', '--resume', '--new-key'], 'contacts import people.csv --resume'],
  [['contacts', 'import', "it's.csv"], "contacts import 'it'\\''s.csv' --resume"],
])('what goes on with %j', (typed, line) => {
  expect(resumeLine(typed)).toBe(`bizmsg ${line}`);
});

it('what goes on with it by another key', () => {
  const typed = ['contacts', 'import', '--resume', '--', '-odd.csv'];
  expect(resumeLine(typed, '--new-key')).toBe('bizmsg contacts import --resume --new-key -- -odd.csv');
});
