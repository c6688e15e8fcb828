import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unescapeCsv } from '../../../src/base/cell-escapes.ts';
import type { InputRow } from '../../../src/runs/input/row.ts';
import { createArrayReader, createLineReader } from '../../../src/runs/input/json.ts';
import { recordText } from '../../../src/runs/input/csv.ts';
import { createRejects } from '../../../src/runs/reject-file.ts';
import { openSource, type Source } from '../../../src/runs/input/source.ts';
import { createTableReader } from '../../../src/runs/input/table.ts';
import { fields, fileOf, inPieces, readText, rowsIn } from './rig.ts';
import { isLong } from '../../support/long-tests.ts';

type Shape = Pick<Source, 'format' | 'delimiter' | 'fields' | 'bom'>;

const table: Shape = { format: 'csv', delimiter: ';', fields: ['phone', 'name'], bom: false };
const ndjson: Shape = { format: 'ndjson', delimiter: undefined, fields: undefined, bom: false };
const json: Shape = { ...ndjson, format: 'json' };

describe('the file of failed rows', () => {
  it.each([
    ['a table', table, 'phone;name;bizmsg_error\n+1;"A;da";"no, not this"\n+2;"say ""hi""";no\n'],
    [
      'a table with a byte order mark',
      { ...table, bom: true },
      '\ufeffphone;name;bizmsg_error\n+1;"A;da";"no, not this"\n+2;"say ""hi""";no\n',
    ],
    [
      'NDJSON',
      ndjson,
      '{"phone":"+1","name":"A;da","bizmsg_error":"no, not this"}\n{"phone":"+2","name":"say \\"hi\\"","bizmsg_error":"no"}\n',
    ],
    [
      'an array',
      json,
      '[\n{"phone":"+1","name":"A;da","bizmsg_error":"no, not this"},\n{"phone":"+2","name":"say \\"hi\\"","bizmsg_error":"no"}\n]\n',
    ],
  ])('has the format of the input: %s', (_, shape, text) => {
    const rows = [good({ phone: '+1', name: 'A;da' }), good({ phone: '+2', name: 'say "hi"' })];
    expect(written(shape, rows, ['no, not this', 'no'])).toBe(text);
  });

  it.each([table, ndjson, json])('is empty if no row failed: $format', (shape) => {
    expect(written(shape, [], [])).toBe('');
  });

  it.each(['csv', 'tsv'] as const)('keeps damaged rows as they are: %s', async (format) => {
    const shape: Shape = { ...table, format, delimiter: format === 'csv' ? ',' : '\t' };
    const texts = ['+1', '"+1', '+1,"A\t"da",x', ''];
    let rows = texts.map((raw) => bad(raw, 'it is damaged'));
    for (let generation = 0; generation < 2; generation++) {
      const reasons = rows.map((row) => ('reason' in row ? row.reason : ''));
      rows = [...(await readText(`failed.${format}`, written(shape, rows, reasons)))];
      expect(rows.map((row) => [row.raw, 'reason' in row && row.reason])).toEqual(
        texts.map((text) => [text, 'it is damaged']),
      );
    }
  });

  it.each([ndjson, json])('keeps damaged rows as they are: $format', async (shape) => {
    const rows = [bad('{"a":', 'not JSON'), bad('', 'too long'), good({ a: 1 }), bad('5', 'a number')];
    const text = written(shape, rows, ['not JSON', 'too long', 'refused', 'a number']);
    expect(await readText(`failed.${shape.format}`, text)).toMatchObject([
      { raw: '{"a":', reason: 'not JSON' },
      { raw: '', reason: 'too long' },
      { fields: { a: 1 } },
      { raw: '5', reason: 'a number' },
    ]);
  });

  it('accepts a fixed row once its error is empty', async () => {
    const head = 'phone,name,bizmsg_error\n';
    const rows = await readText('failed.csv', `${head}+1,Ada,\n+2,Bo,damaged: it has 1 cell\n+3,Cy,refused\n`);
    expect(fields(rows)).toEqual([
      { phone: '+1', name: 'Ada' },
      'its bizmsg_error still marks it as damaged: empty that cell once the row is fixed',
      { phone: '+3', name: 'Cy' },
    ]);
  });

  it('accepts a fixed object once its damaged text is removed', async () => {
    const rows = await readText(
      'failed.ndjson',
      '{"a":1,"bizmsg_text":"{a","bizmsg_error":"x"}\n{"a":2,"bizmsg_error":"x"}\n',
    );
    expect(fields(rows)).toEqual([
      'its bizmsg_text still holds damaged text: remove it once the row is fixed',
      { a: 2 },
    ]);
  });

  it('does not mistake an error message of the service for damage', async () => {
    const text = written(table, [good({ phone: '+1', name: '' })], ['damaged: says the service']);
    expect(fields(await readText('failed.csv', text))).toEqual([{ phone: '+1', name: '' }]);
  });

  it('accepts a row that was readable but refused before sending', () => {
    const row = { ...good({ phone: '1', name: '' }), reason: 'no phone' };
    expect(written(table, [row], ['no phone'])).toBe('phone;name;bizmsg_error\n1;;no phone\n');
  });

  it('can be read with the encoding of its input', async () => {
    const encoding = 'windows-1252';
    const source = await openSource(fileOf('people.csv', Buffer.from('phone,name\n+1,Zo\xeb\n', 'latin1')), {
      encoding,
    });
    const text = written(source, await rowsIn(source), ['refused']);
    expect(fields(await readText('failed.csv', text, { encoding }))).toEqual([{ phone: '+1', name: 'Zoë' }]);
  });

  it('has the columns and fields of its input, and the error', async () => {
    const source = await openSource(fileOf('failed.csv', 'bizmsg_error,phone\nrefused,+1\n'));
    expect(source.fields).toEqual(['phone']);
    expect(await rowsIn(source)).toEqual([{ number: 1, line: 2, raw: ['+1'], fields: { phone: '+1' } }]);
  });
});

describe('failed rows', () => {
  const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', ',', '\n', '=1', 'damaged: x', '\r', '👋🏽'));

  it('are read back unchanged, from a table', () => {
    const cells = fc.array(fc.tuple(cell, cell, cell), { minLength: 1 });
    fc.assert(
      fc.property(cells, fc.constantFrom(',', ';', '\t', '|'), cell, (found, delimiter, reason) => {
        const text =
          ['a', 'b', 'c'].join(delimiter) + found.map((one) => `\n${recordText(one, { delimiter })}`).join('');
        const rows = tableRows(text, delimiter);
        const failed = written({ ...table, delimiter, fields: ['a', 'b', 'c'] }, rows, [reason]);
        expect(fields(tableRows(failed, delimiter))).toEqual(fields(rows));
      }),
    );
  });

  it('can also be read by csv-parse', () => {
    const cells = fc.array(fc.tuple(cell, cell), { minLength: 1 });
    fc.assert(
      fc.property(cells, (found) => {
        const rows = found.map(([phone, name]) => good({ phone, name }));
        const theirs: unknown = parse(written(table, rows, ['no']), {
          delimiter: ';',
          from: 2,
          record_delimiter: '\n',
          cast: unescapeCsv,
        });
        expect(theirs).toEqual(found.map((one) => [...one, 'no']));
      }),
    );
  });

  it('are read back unchanged, from damaged tables', () => {
    const parts = fc.array(fc.constantFrom('"', '""', ',', '\n', 'a', 'b'), { maxLength: 40 });
    fc.assert(
      fc.property(parts, (found) => {
        const rows = tableRows(`a,b,c\n${found.join('')}`, ',');
        const text = written({ ...table, delimiter: ',', fields: ['a', 'b', 'c'] }, rows, ['refused']);
        expect(tableRows(text, ',').map(({ raw }) => raw)).toEqual(rows.map(({ raw }) => raw));
      }),
      { numRuns: isLong ? 500 : 100 },
    );
  });

  it.each([ndjson, json])('are read back unchanged, from $format', (shape) => {
    const record = fc.dictionary(
      fc.string(),
      fc.jsonValue().filter((value) => !/\d{16}/.test(JSON.stringify(value))),
    );
    const row = fc.oneof(
      record.map((fields) => good(JSON.parse(JSON.stringify(fields)))),
      fc.string().map((text) => bad(text, 'it is not JSON')),
    );
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const text = written(shape, rows, ['it is not JSON']);
        const read = inPieces([text], (give) =>
          shape.format === 'json' ? createArrayReader(1_048_576, give) : createLineReader(1_048_576, give),
        );
        expect(read.map(({ raw }) => raw)).toEqual(rows.map(({ raw }) => raw));
      }),
    );
  });
});

function written(shape: Shape, rows: readonly InputRow[], reasons: readonly string[]): string {
  const rejects = createRejects(shape);
  return rows.map((row, at) => rejects.text(row, reasons[at] ?? reasons[0] ?? '')).join('') + rejects.end();
}

function tableRows(text: string, delimiter: string): readonly InputRow[] {
  return inPieces([text], (give) => createTableReader({ delimiter, limit: 1_048_576 }, 'failed.csv', give));
}

function good(fields: Readonly<Record<string, unknown>>): InputRow {
  return { number: 1, line: 1, raw: fields, fields };
}

function bad(raw: string, reason: string): InputRow {
  return { number: 1, line: 1, raw, reason };
}
