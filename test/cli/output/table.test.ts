import { describe, expect, it } from 'vitest';
import { maskKey } from '../../../src/base/redact.ts';
import { Printer } from '../../../src/cli/output/printer.ts';
import { widthOf } from '../../../src/cli/output/text.ts';
import { createUi, plain } from '../../../src/cli/output/ui.ts';

const now = new Date(2026, 10, 21, 16, 0);
const id = (n: number) => `ord_sandbox_b2df07d27b00000${n}`;

interface Options {
  readonly terminal?: boolean;
  readonly first?: readonly string[];
  readonly clean?: (text: string) => string;
}

/** The printed lines, and the columns of the note. */
async function shown(data: unknown, width: number, { terminal = true, first, clean = String }: Options = {}) {
  const [texts, notes]: [string[], string[]] = [[], []];
  const write = async (part: string | Uint8Array) => void texts.push(Buffer.from(part).toString());
  const out = { isTTY: terminal, columns: width, write };
  const printer = new Printer({
    out,
    ui: createUi({ stdout: out, stderr: out, now: () => now.getTime() }, plain, () => undefined),
    format: 'table',
    piped: 'rows',
    columns: undefined,
    header: true,
    first,
    note: (_, message) => void notes.push(message),
    clean,
  });
  await printer.print(data, () => '');
  const [note = ''] = notes;
  const left = /^more columns: (.*); --columns/.exec(note)?.[1]?.split(', ') ?? [];
  return { lines: texts.join('').trimEnd().split('\n'), left };
}

describe('a table on a terminal', () => {
  it('cuts texts, but not ids, names or short words', async () => {
    const rows = [1, 2].map((n) => ({ id: id(n), name: 'broadcast.completed', detail: `${n} ${'long '.repeat(9)}` }));
    expect((await shown(rows, 72)).lines).toEqual([
      'id                            name                 detail',
      `${id(1)}  broadcast.completed  1 long long long lon…`,
      `${id(2)}  broadcast.completed  2 long long long lon…`,
    ]);
  });

  it('aligns numbers to the right, with their header', async () => {
    const rows = [
      { name: 'autumn', sent: 229, rate: 1.5 },
      { name: 'sale', sent: 7n, rate: null },
    ];
    expect((await shown(rows, 80)).lines).toEqual(['name    sent  rate', 'autumn   229   1.5', 'sale       7']);
  });

  it('shortens a header before a cell', async () => {
    const rows = [{ id: 1, received_at: 'a cell', name: 'x' }, { id: 2 }];
    expect((await shown(rows, 18)).lines[0]).toBe('id  receive…  name');
  });

  it('leaves out empty columns, then lists and objects, then columns at the right, and notes them', async () => {
    const rows = [1, 2].map((n) => ({ id: n, none: null, tags: ['a', 'b'], name: 'broadcast.completed', last: '200' }));
    expect(await shown(rows, 30)).toEqual({
      lines: ['id  name                 last', '1   broadcast.completed  200', '2   broadcast.completed  200'],
      left: ['tags'],
    });
    expect(await shown(rows, 25)).toMatchObject({ lines: ['id  name', expect.anything(), expect.anything()] });
    expect((await shown(rows, 25)).left).toEqual(['tags', 'last']);
  });

  it.each([
    [new Date(2026, 10, 21, 14, 36, 56), '14:36:56'],
    [new Date(2026, 10, 20, 14, 36, 56), 'Nov 20 14:36'],
    [new Date(2025, 10, 20, 14, 36, 56), 'Nov 20 2025'],
  ])('shows the local time, with the date unless it is today: %s', async (at, text) => {
    expect((await shown([{ at: at.toISOString() }], 80)).lines).toEqual(['at', text]);
  });
});

const names =
  'Ada Lovelace|佐藤 さくら|محمد الأحمد|مُحَمَّد|😀 Emoji|👩‍👩‍👧‍👦 Family|🫶🏽 new|🇫🇷 Zoé|Zoe\u0308|สมชาย ใจดี|सीता शर्मा|ＷＩＤＥ';
const people = [...names.split('|'), '名前が長い人の名前が長い人の名前が長い人の名前'];
const note = 'wants the blue one '.repeat(5);
const contacts = people.map((name, n) => ({ phone: `+1202555010${n}`, name, note, n }));

describe.each([60, 80, 120])('names of all scripts at %i columns', (width) => {
  it('keep the columns after them aligned', async () => {
    const { lines } = await shown(contacts, width, { first: ['name', 'phone'] });
    const places = lines.slice(1).map((line) => widthOf(line.slice(0, line.indexOf('+1202'))));
    expect(new Set(places).size).toBe(1);
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([]);
  });
});

it('does not cut texts or change times in a pipe', async () => {
  const row = { id: 1, at: now.toISOString(), detail: 'long '.repeat(60).trim() };
  const { lines } = await shown([row, row], 40, { terminal: false });
  expect(lines[1]).toBe(`1   ${row.at}  ${row.detail}`);
});

it('masks a key before a narrow table cuts it', async () => {
  const key = 'sk_test_0123456789abcdef0123456789abcdef';
  const rows = [1, 2].map((n) => ({ id: n, detail: { [key]: 1 }, note: `sent with ${key} at noon`, list: [key, 'x'] }));
  for (let width = 20; width <= 120; width += 4) {
    const { lines } = await shown(rows, width, { clean: (text) => text.replaceAll(key, maskKey(key)) });
    expect(lines.join('\n')).not.toContain(key.slice(0, 12));
  }
});

it('prints one header above all pages of a long list', async () => {
  const rows = Array.from({ length: 5_000 }, (_, n) => ({ phone: `+120255${10_000 + n}`, name: people[n % 13], n }));
  const { lines } = await shown(rows, 100);
  expect(lines.filter((line) => !line.includes('+120255'))).toHaveLength(1);
});
