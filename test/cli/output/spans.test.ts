import { expect, it } from 'vitest';
import { spanText, took } from '../../../src/cli/output/figures.ts';

it.each([
  [0.2, '1 s'],
  [59.5, '1 min 0 s'],
  [61, '1 min 1 s'],
  [3_599, '59 min 59 s'],
  [3_601, '1 h 1 min'],
  [90_000, '1 d 1 h'],
])('formats %d seconds as %s', (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

it.each([
  [0, '0 s'],
  [0.0001, '1 ms'],
  [0.035, '35 ms'],
  [0.31, '0.3 s'],
  [0.97, '1 s'],
  [1.2, '2 s'],
  [60, '1 min'],
  [3_661, '1 h 2 min'],
])('shows %d seconds as %s', (seconds, text) => {
  expect(took(seconds)).toBe(text);
});
