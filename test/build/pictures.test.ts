import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../page/browser.ts';

/** The lines of which a letter is not in its column, or a space was dropped. */
const misplaced = `Array.from(document.querySelectorAll('text')).filter((line) => {
  const columns = Array.from(line.textContent, (_, at) => line.getStartPositionOfChar(at).x);
  const isMoved = columns.some((x, at) => Math.abs(x - 14 - 8.4 * at) > 1);
  return isMoved || line.getNumberOfChars() !== line.textContent.length;
}).map((line) => line.textContent)`;

describe.skipIf(noBrowser !== undefined)(`the picture of a terminal (${noBrowser ?? 'in chromium'})`, () => {
  const { open } = useBrowser();

  it.each(['batch', 'listen', 'send'])('%s has each letter in its column', async (name) => {
    const page = await open('about:blank');
    await page.setContent(readFileSync(`docs/${name}.svg`, 'utf8'));
    expect(await page.evaluate("document.querySelectorAll('text').length")).toBeGreaterThan(5);
    expect(await page.evaluate("document.querySelectorAll('text:not([*|space=preserve])').length")).toBe(0);
    expect(await page.evaluate(misplaced)).toEqual([]);
  });
});
