import { describe, expect, it } from 'vitest';
import { fillName, isName, nameAfter } from '../../src/store/which.ts';

describe('a name', () => {
  it.each([
    { text: 'sale-{date}', name: 'sale-2026-01-04' },
    { text: 'Sale-{month}', name: 'sale-2026-01' },
    { text: '{hour}', name: '2026-01-04-09' },
    // A Sunday belongs to the week before, and the first week has a Thursday.
    { text: 'w{week}', name: 'w2026-w01' },
    { text: '{other}', name: '{other}' },
  ])('$text is filled: $name', ({ text, name }) => {
    expect(fillName(text, new Date(2026, 0, 4, 9, 30))).toBe(name);
  });

  it.each([
    ['people.csv', 'people'],
    ['/data/Kunden Köln.2026.csv', 'kunden-k-ln.2026'],
    ['C:\\lists\\A.xlsx', 'a'],
    ['0123456789ab.csv', 'batch'],
    ['.csv', '.csv'],
  ])('after the file %s is %s', (file, name) => {
    expect(nameAfter(file)).toBe(name);
  });

  it.each([
    ['autumn', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['Autumn', false],
    ['a b', false],
    ['0123456789ab', false],
  ])('%s: %s', (text, is) => {
    expect(isName(text)).toBe(is);
  });
});
