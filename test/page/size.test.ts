import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

it.each([
  ['page.js', 34],
  ['page.css', 5],
])('%s is at most %i kB when compressed', (name, most) => {
  const file = new URL(`../../dist/page/${name}`, import.meta.url);
  expect(gzipSync(readFileSync(file)).length).toBeLessThanOrEqual(most * 1_024);
});
