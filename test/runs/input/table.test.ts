import { describe, expect, it } from 'vitest';
import type { InputRow } from '../../../src/runs/input/row.ts';
import { createTableReader } from '../../../src/runs/input/table.ts';
import { cut, fields, inPieces, readText } from './rig.ts';

const header = 'phone,name,note\n';

describe('a table', () => {
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['a lone CR', '\r'],
  ])('may end its lines with %s', async (_, end) => {
    const rows = await readText('people.csv', ['phone,name', '+1,Ada', '+2,"Bo', 'B"', '+3,Cy', ''].join(end));
    expect(fields(rows)).toEqual([
      { phone: '+1', name: 'Ada' },
      { phone: '+2', name: `Bo${end}B` },
      { phone: '+3', name: 'Cy' },
    ]);
    expect(rows.map(({ line }) => line)).toEqual([2, 3, 5]);
  });

  it('may mix line endings, and end without one', async () => {
    const rows = await readText('people.csv', 'phone,name\r\n+1,Ada\n+2,Bo\r+3,"Cy"');
    expect(rows.map(({ raw }) => raw)).toEqual([
      ['+1', 'Ada'],
      ['+2', 'Bo'],
      ['+3', 'Cy'],
    ]);
  });

  it('may have blank lines, and lines with only delimiters, which are not rows', async () => {
    const rows = await readText('people.csv', '\n\nphone,name\n\n+1,Ada\n,\n"",""\r\n\r\n+2,Bo\n\n');
    expect(rows.map(({ number, line }) => [number, line])).toEqual([
      [1, 5],
      [2, 9],
    ]);
  });

  it('keeps the spaces of its cells and trims those of its header', async () => {
    const rows = await readText('people.csv', ' phone , name\n +1 , Ada \n');
    expect(fields(rows)).toEqual([{ phone: ' +1 ', name: ' Ada ' }]);
  });

  it('may name its delimiter like Excel', async () => {
    const rows = await readText('people.csv', 'sep=;\r\nlast, first;phone\r\nDoe, Jo;+1\r\n');
    expect(fields(rows)).toEqual([{ 'last, first': 'Doe, Jo', phone: '+1' }]);
    expect(rows[0]?.line).toBe(3);
  });

  it('may have one column', async () => {
    const rows = await readText('phones.csv', 'phone\n+1\n\n"+2"\n');
    expect(fields(rows)).toEqual([{ phone: '+1' }, { phone: '+2' }]);
  });
});

describe('a damaged row', () => {
  it.each<[string, string, string]>([
    ['too few cells', '+2,Bo', 'it has 2 cells, and the header has 3'],
    ['one cell', '+2', 'it has 1 cell, and the header has 3'],
    ['too few cells over several lines', '+2,"Bo\nB"', 'it has 2 cells, and the header has 3; it extends to line 4'],
    ['too many cells', '+2,Bo,x,y', 'it has 4 cells, and the header has 3'],
    ['a stray quote', '+2,B"o,x', 'misplaced quote on line 3; quote a cell that contains quotes'],
    ['text after a quote', '+2,"Bo" B,x', 'misplaced quote on line 3'],
  ])('is reported and kept, and reading continues: %s', async (_, text, reason) => {
    const rows = await readText('people.csv', `${header}+1,Ada,x\n${text}\n+3,Cy,x\n`);
    expect(rows[1]).toEqual({ number: 2, line: 3, raw: text, reason: expect.stringContaining(reason) });
    expect(rows[2]).toMatchObject({ number: 3, fields: { phone: '+3' } });
  });

  it('with an unclosed quote loses only its own line', async () => {
    const rows = await readText('people.csv', `${header}+1,"Ada,x\n${'+2,Bo,x\n'.repeat(300)}`);
    expect(rows[0]).toEqual({
      number: 1,
      line: 2,
      raw: '+1,"Ada,x',
      reason: 'unclosed quote on line 2; only this line is skipped; the next lines are read as rows of their own',
    });
    expect(rows.filter((row) => 'fields' in row)).toHaveLength(300);
  });

  it('with a quote that closes at the next one loses only its own line', async () => {
    const rows = await readText('people.csv', `${header}+1,"Ada,x\n+2,"Bo, B",x\n+3,Cy,x\n`);
    expect(rows.map((row) => [row.line, 'fields' in row])).toEqual([
      [2, false],
      [3, true],
      [4, true],
    ]);
  });

  it('is reported with the line of the unclosed quote, if that is a later one', async () => {
    const [row] = await readText('people.csv', `${header}+1,"A\nB","x\n`);
    expect(row).toMatchObject({ line: 2, reason: expect.stringContaining('unclosed quote on line 3') });
  });

  it('that is too long is reported without its text', async () => {
    const rows = await readText('people.csv', `phone,name\n+1,${'a'.repeat(99)}\n+2,Bo\n`, { limit: 50 });
    expect(rows[0]).toEqual({ number: 1, line: 2, raw: '', reason: 'it is longer than 50 characters' });
    expect(rows[1]).toMatchObject({ number: 2, line: 3, fields: { phone: '+2', name: 'Bo' } });
  });

  it('whose quote closes too late loses only its own line', async () => {
    const rows = await readText('people.csv', `phone,name\n+1,"A\n${'+2,Bo\n'.repeat(20)}+3,C"\n`, { limit: 50 });
    expect(rows[0]).toMatchObject({
      raw: '+1,"A',
      reason: expect.stringContaining('the quote on line 2 does not close within 50 characters'),
    });
    expect(rows.filter((row) => 'fields' in row)).toHaveLength(20);
    expect(rows.at(-1)).toMatchObject({ line: 23, raw: '+3,C"' });
  });
});

describe('reading a table', () => {
  it('searches text after a late closing quote only once', () => {
    const lines = 60_000;
    const text = `a,b\n"${'x,""\n'.repeat(lines)}`;
    const rows = inPieces(cut(text, 65_536), reader);
    expect(rows).toHaveLength(lines);
  });
});

function reader(give: (row: InputRow) => void) {
  return createTableReader({ delimiter: ',', limit: 1_048_576 }, 'people.csv', give);
}
