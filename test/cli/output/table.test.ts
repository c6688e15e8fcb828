import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/cli/output/rows.ts';
import { table } from '../../../src/cli/output/table.ts';
import { createUi } from '../../../src/cli/output/ui.ts';
import { isLong } from '../../support/long-tests.ts';

const now = new Date(2026, 10, 21, 16, 0);
const id = (n: number) => `ord_sandbox_b2df07d27b00000${n}`;

describe('a table on a terminal', () => {
  it('cuts the longest texts first, but not ids or names', async () => {
    const rows = [1, 2].map((n) => ({ id: id(n), name: 'broadcast.completed', detail: `${n} ${'long '.repeat(9)}` }));
    expect((await shown(rows, 72)).lines).toEqual([
      'id                            name                 detail',
      `${id(1)}  broadcast.completed  1 long long long lon…`,
      `${id(2)}  broadcast.completed  2 long long long lon…`,
    ]);
  });

  it('shows the ends of foreign ids, where they differ', async () => {
    const rows = [1, 2].map((n) => ({ id: n, order_id: id(n) }));
    expect((await shown(rows, 12)).lines).toEqual(['id  order_id', '1   …b000001', '2   …b000002']);
  });

  it('shortens a header before a cell', async () => {
    const rows = [{ id: 1, received_at: 'a cell', name: 'x' }, { id: 2 }];
    expect((await shown(rows, 18)).lines[0]).toBe('id  receive…  name');
  });

  it('omits empty columns, then columns from the right, and returns their names', async () => {
    const rows = [1, 2].map((n) => ({ id: n, none: null, name: 'broadcast.completed', state: 'waiting', last: '200' }));
    expect(await shown(rows, 30)).toEqual({
      lines: ['id  name', '1   broadcast.completed', '2   broadcast.completed'],
      left: ['state', 'last'],
    });
  });

  it('always shows the id, on the narrowest terminal too', async () => {
    const rows = [1, 2].map((n) => ({ name: 'x', id: id(n) }));
    expect(await shown(rows, 10)).toEqual({ lines: ['id', id(1), id(2)], left: ['name'] });
  });

  it('shows one record that does not fit as lines', async () => {
    const row = { id: 1, url: 'http://127.0.0.1:4780', plan: null };
    const record = { isRecord: true };
    expect((await shown([row], 20, record)).lines).toEqual(['id: 1', 'url: http://127.0.0.1:4780', 'plan: none']);
    expect((await shown([row], 80, record)).lines).toEqual([
      'id  url                    plan',
      '1   http://127.0.0.1:4780',
    ]);
    expect((await shown([row], 20)).lines).toHaveLength(2);
  });

  it('lays out long lists like short ones', async () => {
    const names = ['Ada', '😀😀', 'a name that is cut   ', ''];
    const rows = Array.from({ length: 101 }, (_, n) => ({ id: n % 10, name: names[n % 4], last: n % 2 ? 'x' : '' }));
    const { lines } = await shown(rows, 20);
    expect(lines.slice(0, 101)).toEqual((await shown(rows.slice(0, 100), 20)).lines);
  });

  it('aligns wide letters, also where they are cut', async () => {
    const rows = ['名前が長い人の名前が長い人の名前が長い人', '😀😀', 'Ada'].map((name) => ({ name, n: 1 }));
    const { lines } = await shown(rows, 24);
    expect(lines.map((line) => columnsBefore(line, /[n1]$/))).toEqual([23, 23, 23, 23]);
  });

  it.each([
    [new Date(2026, 10, 21, 14, 36, 56), '14:36:56'],
    [new Date(2026, 10, 20, 14, 36, 56), 'Nov 20 14:36'],
    [new Date(2025, 10, 20, 14, 36, 56), 'Nov 20 2025'],
  ])('shows the local time, with the date unless it is today: %s', async (at, text) => {
    expect((await shown([{ at: at.toISOString() }], 80)).lines).toEqual(['at', text]);
  });

  it.each(['2026-99-99T00:00:00Z', '2026-11-21', 'at 2026-11-21T14:36:56Z'])(
    'does not change other texts: %s',
    async (at) => {
      expect((await shown([{ at }], 80)).lines).toEqual(['at', at]);
    },
  );
});

it('does not cut texts or change times in a pipe', async () => {
  const row = { id: 1, at: now.toISOString(), detail: 'long '.repeat(60).trim() };
  const { lines } = await shown([row, row], 40, { terminal: false });
  expect(lines[1]).toBe(`1   ${row.at}  ${row.detail}`);
});

async function shown(rows: readonly Row[], width: number, { terminal = true, isRecord = false } = {}) {
  const surroundings = { terminal, width, noColor: true, env: {}, now: () => now.getTime() };
  const parts = table(rows, await createUi(surroundings, () => undefined), { header: true, isRecord });
  let [text, step] = ['', await parts.next()];
  for (; !step.done; step = await parts.next()) text += step.value;
  return { lines: text.trimEnd().split('\n'), left: step.value };
}

/** The width of the text before a match. */
function columnsBefore(line: string, match: RegExp): number {
  const before = line.slice(0, line.search(match));
  return before.length + (before.match(/[\u3000-\u9fff]/g) ?? []).length;
}

it.runIf(isLong)('omits columns that do not fit, with more columns than a call can have arguments', async () => {
  const row = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`f${at}`, at]));
  const { lines, left } = await shown([row, row], 20);
  expect([lines, left.length]).toEqual([['f0  f1  f2  f3  f4', '0   1   2   3   4', '0   1   2   3   4'], 149_995]);
});

describe('a cell of a megabyte', () => {
  it.each([
    ['letters', 'é'.repeat(1_000_000), `${'é'.repeat(77)}…`],
    ['wide letters', '語'.repeat(1_000_000), `${'語'.repeat(38)}…`],
    ['an id', `con_${'é'.repeat(1_000_000)}`, `con_${'é'.repeat(73)}…`],
    ['spaces', `a${' '.repeat(1_000_000)}b`, `a${' '.repeat(76)}…`],
    ['Hindi', 'क'.repeat(1_000_000), `${'क'.repeat(77)}…`],
    [
      'letters with many marks',
      `e${'\u0301'.repeat(5_000)}`.repeat(200),
      `${`e${'\u0301'.repeat(5_000)}`.repeat(77)}…`,
    ],
  ])('of %s is cut', async (_, name, shownName) => {
    const { lines } = await shown([{ n: 1, name }, { n: 2, name: 'Ada' }], 81); // prettier-ignore
    expect(lines).toEqual(['n  name', `1  ${shownName}`, '2  Ada']);
  });

  it.each([
    ['letters', 'é'.repeat(1_000_000)],
    ['spaces', `a${' '.repeat(1_000_000)}b`],
  ])('of %s is not cut in a pipe, and the next cell is aligned', async (_, name) => {
    const { lines } = await shown([{ name, n: 1 }, { name: 'Ada', n: 2 }], 80, { terminal: false }); // prettier-ignore
    expect(lines[1] === `${name}  1`).toBe(true);
    expect(lines[2] === `Ada${' '.repeat(name.length - 1)}2`).toBe(true);
  });

  it('is also cut in the header', async () => {
    const { lines } = await shown([{ ['é'.repeat(1_000_000)]: 'x', n: 1 }, { n: 2 }], 20); // prettier-ignore
    expect(lines[0]).toBe(`${'é'.repeat(16)}…  n`);
  });
});
