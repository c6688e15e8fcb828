import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unescapeCsv } from '../../../src/base/cell-escapes.ts';
import { recordText } from '../../../src/runs/input/csv.ts';
import { createTableReader } from '../../../src/runs/input/table.ts';
import { cut, inPieces } from './rig.ts';
import { isLong } from '../../support/long-tests.ts';

const delimiters = fc.constantFrom(',', ';', '\t', '|');
const telling = fc.constantFrom(
  '"',
  '""',
  ',',
  ';',
  '\t',
  '|',
  '\n',
  '\r',
  '\r\n',
  '=1+1',
  "'",
  '\u2028',
  '👋🏽',
  ' ',
  'a',
);
const cell = fc.oneof(
  { weight: 5, arbitrary: fc.array(telling, { maxLength: 8 }).map((parts) => parts.join('')) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }).map((length) => 'long" '.repeat(length / 6)) },
);
const rows = fc
  .integer({ min: 1, max: 5 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }))
  .map((found) => found.filter((cells) => cells.some((cell) => cell !== '')));
// Each chunk of a record makes the reader search it again, so small chunks of long records take very long.
const pieceSize = (text: string, size: number) => (text.length < 2_000 ? size : 8_192);

describe('a table', () => {
  it('is read back as written according to RFC 4180', () => {
    fc.assert(
      fc.property(
        rows,
        delimiters,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.constantFrom(1, 7),
        (cells, delimiter, end, size) => {
          const text = textOf(cells, delimiter, end);
          expect(readIn(cut(text, pieceSize(text, size)), delimiter).map(({ raw }) => raw)).toEqual(cells);
        },
      ),
    );
  });

  it('is read like csv-parse, except for apostrophes that protect cells', () => {
    fc.assert(
      fc.property(rows, delimiters, (cells, delimiter) => {
        const text = textOf(cells, delimiter, '\n');
        const cast = delimiter === '\t' ? false : unescapeCsv;
        const theirs: unknown = parse(text, { delimiter, from: 2, record_delimiter: '\n', cast });
        expect(readIn([text], delimiter).map(({ raw }) => raw)).toEqual(theirs);
      }),
    );
  });

  it('is read the same in any chunks, however damaged it is', () => {
    const damaged = fc.array(fc.constantFrom('"', '""', ',', '\n', '\r', '\r\n', 'a', 'bcd'), { maxLength: 60 });
    fc.assert(
      fc.property(damaged, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 4, max: 40 }), (parts, size, limit) => {
        const text = `a,b\n${parts.join('')}`;
        expect(readIn(cut(text, size), ',', limit)).toEqual(readIn([text], ',', limit));
      }),
      { numRuns: isLong ? 2_000 : 400 },
    );
  });

  it('assigns each line that is not blank to a row, however damaged it is', () => {
    const damaged = fc.array(fc.constantFrom('"', '""', ',', '\n', 'a', '",'), { maxLength: 40 });
    fc.assert(
      fc.property(damaged, (parts) => {
        const lines = `a,b\n${parts.join('')}`.split('\n');
        const found = readIn([lines.join('\n')], ',');
        const starts = new Set(found.map(({ line }) => line));
        const inside = found.flatMap(({ raw, line }) =>
          Array.isArray(raw)
            ? Array.from({ length: raw.join('').split('\n').length - 1 }, (_, at) => line + 1 + at)
            : [],
        );
        const damagedLines = found.flatMap(({ raw, line }) =>
          typeof raw === 'string' ? raw.split('\n').map((_, at) => line + at) : [],
        );
        const seen = new Set([...starts, ...inside, ...damagedLines]);
        const missed = lines
          .map((text, at) => ({ text, line: at + 1 }))
          .filter(({ line }) => line > 1 && !seen.has(line));
        expect(missed.filter(({ text }) => /[^,"]/.test(text))).toEqual([]);
      }),
      { numRuns: isLong ? 1_000 : 200 },
    );
  });
});

function textOf(cells: readonly (readonly string[])[], delimiter: string, end: string): string {
  const header = (cells[0] ?? ['']).map((_, at) => `c${at}`);
  return [header, ...cells].map((record) => recordText(record, { delimiter }) + end).join('');
}

function readIn(pieces: readonly string[], delimiter: string, limit = 1_048_576) {
  return inPieces(pieces, (give) => createTableReader({ delimiter, limit }, 'people.csv', give));
}
