import { expect, it } from 'vitest';
import { narrowed } from '../../../src/cli/output/ui.ts';

const page = `List contacts

Usage: bizmsg contacts list [options]

Shows one page, and a note if the list is longer; use --all to list all pages,
one at a time.

Arguments and options:
  --limit <n>  how many
  --url-param <name=value>
               passed on as it stands, since the document shows none
               (repeatable)

Examples:
  bizmsg contacts list --limit 5 --profile local -o json
  bizmsg contacts list
`;

it('does not change a page that fits', () => {
  expect([narrowed(page, 80), narrowed(page, 200), narrowed(page, undefined)]).toEqual([page, page, page]);
});

it('wraps a page for a narrow terminal, except examples', () => {
  expect(narrowed(page, 40)).toBe(`List contacts

Usage: bizmsg contacts list [options]

Shows one page, and a note if the list
is longer; use --all to list all pages,
one at a time.

Arguments and options:
  --limit <n>  how many
  --url-param <name=value>
    passed on as it stands, since the
    document shows none (repeatable)

Examples:
  bizmsg contacts list --limit 5 --profile local -o json
  bizmsg contacts list
`);
});

it('has no line that is wider than the terminal, except single long words', () => {
  for (let width = 24; width < 80; width++) {
    const wide = narrowed(page, width)
      .split('\n')
      .filter((line) => line.length > width && !line.startsWith('  bizmsg') && / \S+ /.test(line.trim()));
    expect(wide).toEqual([]);
  }
});
