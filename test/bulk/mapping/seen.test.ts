import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSeen } from '../../../src/bulk/mapping/seen.ts';

const phone = (at: number) => `+1202${10_000_000 + at * 7}`;

it('gives the row that had a text first', () => {
  const seen = createSeen();
  const answers = ['a', 'b', 'a', 'a', ''].map((text, at) => seen.add(text, at + 1));
  expect(answers).toEqual([undefined, undefined, 1, 1, undefined]);
});

it('finds what a search finds, whatever the texts', () => {
  const unit = fc.constantFrom('0', '1', 'a', '\0', '\u8000', '\ud800', '😀');
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 3 }), { maxLength: 100 }), (texts) => {
      const seen = createSeen();
      const answers = texts.map((text, at) => seen.add(text, at + 1));
      const first = texts.map((text) => texts.indexOf(text) + 1);
      expect(answers).toEqual(first.map((row, at) => (row === at + 1 ? undefined : row)));
    }),
  );
});

it('knows each of many texts again, and takes no new one for any of them', () => {
  const seen = createSeen();
  const rows = Array.from({ length: 300_000 }, (_, at) => at + 1);
  expect(rows.filter((row) => seen.add(phone(row), row) !== undefined)).toEqual([]);
  expect(rows.filter((row) => seen.add(phone(row), 1) !== row)).toEqual([]);
});

it('holds a text in 16 bytes, however long it is', () => {
  const before = bytesHeld();
  const seen = createSeen();
  const padding = 'x'.repeat(200);
  for (let row = 1; row <= 300_000; row++) seen.add(phone(row) + padding, row);
  expect((bytesHeld() - before) / 300_000).toBeLessThan(16.5);
  expect(seen.add(phone(1) + padding, 2)).toBe(1);
});

function bytesHeld(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().arrayBuffers;
}
