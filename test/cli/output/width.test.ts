import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endOf, folded, startOf, widthOf } from '../../../src/cli/output/text.ts';

it.each([
  ['plain', 5],
  ['Zoë', 3],
  ['Zoe\u0308', 3],
  ['日本語', 6],
  ['한글', 4],
  ['👍', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['❤\ufe0f', 2],
  ['🇫🇷', 2],
  ['\u001b[1mbold\u001b[22m', 4],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

it('shows the end of a text, and cuts between letters', () => {
  expect(endOf('con_日本語e\u0301', 5)).toBe('…語e\u0301');
});

it('breaks a line between its fields, and counts wide letters as two', () => {
  expect(folded(['日本語', 'abc', 'd'], 12)).toBe('日本語  abc\n  d');
});

it('measures long texts correctly at every piece boundary', () => {
  const letter = fc.constantFrom(
    'a',
    'é',
    'e\u0301',
    '語',
    '👩‍👩‍👧‍👦',
    '🇫🇷',
    '\r\n',
    'क्षि',
    '한',
    `o${'\u0308'.repeat(300)}`,
  );
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 200 }), fc.integer({ min: 0, max: 40 }), (found, width) => {
      const text = found.join('');
      const segments = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
      expect(widthOf(text)).toBe(segments.reduce((sum, one) => sum + widthOf(one), 0));
      for (const cut of [startOf(text, width + 1), endOf(text, width + 1)])
        expect(widthOf(cut)).toBeLessThanOrEqual(width + 1);
    }),
  );
});
