import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { addresses, noBrowser, rowsOn, show, storyOn, useBrowser, useSandbox } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that colors can break. */
const ofColors = ['color-contrast', 'link-in-text-block'];

/** Findings of axe in light colors, and those about colors in dark ones, with the elements. */
async function findings(page: Page): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const violations: unknown[] = [];
  for (const [colorScheme, runOnly] of [
    ['light', tags],
    ['dark', ofColors],
  ] as const) {
    // A transition between the colors would be a finding.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const inScheme: unknown = await page.evaluate(
      `axe.run(${JSON.stringify({ runOnly })}).then((result) => result.violations
        .map(({ id, nodes }) => ['${colorScheme}', id, ...nodes.map(({ html }) => html.slice(0, 200))]))`,
    );
    violations.push(inScheme);
  }
  return violations.flat();
}

const widths = [375, 768, 1_024, 1_440];

describe.skipIf(noBrowser)(`the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  /** Everything that a list, a story and a phone can have. */
  async function fill(): Promise<void> {
    const hook = await receiver((response) => response.writeHead(500).end('TypeError: order is undefined'));
    shown.sandbox.webhooks.add({ url: hook.url });
    shown.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'latency', ms: 1 } });
    shown.sandbox.seed({ contacts: [{ phone: '+12025550155', name: 'محمد الأحمد' }] });
    await shown.send('+12025550155', 'order_update', ['W'.repeat(300), 'A-1']);
    await shown.send('+12025550102', 'welcome');
    shown.sandbox.trigger('broadcast.completed', { template: 'appointment_reminder' });
    await shown.sandbox.time.advance(7_000);
    for (let at = 0; at < 2; at++) await shown.send('+12025550111', 'nothing').catch(() => {});
    shown.sandbox.trigger('message.received', { from: '+12025550101', text: 'Thanks' });
    await shown.send('+12025550101', 'order_update', ['Ada', 'A-1']);
    await shown.send('+12025550101', 'order_update', ['Ada', 'A-1']);
    await shown.sandbox.time.advance(400);
  }

  it.each(widths)('has no finding of axe at %i px: each place, empty and full', async (width) => {
    const page = await tabs.open(shown.link, { viewport: { width, height: 800 } });
    for (const isFull of [false, true]) {
      if (isFull) await fill();
      for (const address of addresses) {
        await show(page, address);
        if (isFull && address === 'activity') await rowsOn(page).getByText('500').first().waitFor();
        expect([address, isFull, await findings(page)]).toEqual([address, isFull, []]);
      }
    }
    await show(page, 'activity');
    for (const row of ['Ada, your order', 'send-template', 'broadcast', 'Thanks']) {
      await show(page, 'activity');
      await rowsOn(page).filter({ hasText: row }).first().click();
      await storyOn(page).getByRole('heading').waitFor();
      expect([row, await findings(page)]).toEqual([row, []]);
    }
  });

  /** Buttons that open something, with its name. */
  const openers = [
    ['Menu', 'More'],
    ['More', 'More'],
    ['Connect', 'Connect'],
    ['Clock frozen', 'Clock'],
    ['/hooks', 'Webhooks'],
    ['Insert a reply', 'Replies'],
    ['Send', 'Send a message'],
    ['Find anything ⌘K', 'Find anything'],
  ] as const;

  it.each(widths)(
    'has no finding of axe at %i px in what opens; Escape closes it, and the focus returns',
    async (width) => {
      await fill();
      const page = await tabs.open(shown.link, { viewport: { width, height: 800 } });
      await page.getByRole('button', { name: 'Retry' }).first().waitFor();
      if (width === 375) await rowsOn(page).filter({ hasText: 'Ada, your order' }).first().click();
      for (const [button, name] of openers) {
        const opener = page.getByRole('button', {
          name: button,
          exact: button !== '/hooks' && button !== 'Clock frozen',
        });
        if (!(await opener.isVisible())) continue;
        await opener.press('Enter');
        const opened = page.getByRole('dialog', { name, exact: true }).filter({ visible: true });
        await opened.waitFor();
        await opened.locator('button, select').filter({ visible: true }).first().waitFor();
        expect([name, await findings(page)]).toEqual([name, []]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        await page.keyboard.press('Escape');
        await opened.waitFor({ state: 'hidden' });
        expect(await opener.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      }
    },
  );

  it('scrolls nowhere sideways from 320 to 1,920 px, and its bar has 44 px', async () => {
    await fill();
    const page = await tabs.open(shown.link, { viewport: { width: 320, height: 800 } });
    const wide = `[...document.querySelectorAll('html, main, .bar, .list, .strip, .rows, .story, .chat, .place, .detail, .frozen')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ className, scrollWidth, clientWidth }) => [className, scrollWidth, clientWidth].join(' '))`;
    for (const address of ['activity', 'activity/%2B12025550101', 'data', 'setup'] as const) {
      await show(page, address);
      for (let width = 320; width <= 1_920; width += 64) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => page.evaluate(wide), { message: `${address} at ${width} px` }).toEqual([]);
        expect((await page.locator('.bar').boundingBox())?.height).toBe(44);
      }
    }
  });

  it('has the first row after one Tab and Enter, and opens it by Enter', async () => {
    await fill();
    const page = await tabs.open(shown.link);
    await rowsOn(page).first().waitFor();
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
    expect(await page.evaluate('document.activeElement.role')).toBe('listbox');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('story');
  });

  it('has controls of at least 24 px at 375 px, and rows and buttons of 36', async () => {
    await fill();
    const page = await tabs.open(shown.link, { viewport: { width: 375, height: 812 } });
    await rowsOn(page).first().waitFor();
    const small = (selector: string, least: number) =>
      page.evaluate(`[...document.querySelectorAll('${selector}')].filter((element) => element.checkVisibility())
        .map((element) => [element.outerHTML.slice(0, 80), element.getBoundingClientRect()])
        .filter(([, { width, height }]) => Math.min(width, height) < ${least}).map(([html, { width, height }]) => [html, width, height])`);
    for (const address of [...addresses, 'row'] as const) {
      if (address === 'row') {
        await show(page, 'activity');
        await rowsOn(page).filter({ hasText: 'Ada, your order' }).first().click();
      } else await show(page, address);
      expect([address, await small('a, button, input, select, summary', 24)]).toEqual([address, []]);
      const isHigh = await small('.row, .list button, .bar .main, .actions button, .reply-form button', 36);
      expect([address, isHigh]).toEqual([address, []]);
    }
  });

  it('has at most 4 sizes of fonts on Activity, and 8 combinations with weights and line heights', async () => {
    await fill();
    const page = await tabs.open(shown.link, { viewport: { width: 1_440, height: 900 } });
    await storyOn(page).getByText('What it got').first().waitFor();
    await rowsOn(page).getByText('500').first().waitFor();
    const fonts: string[] = await page.evaluate(`[...new Set([...document.querySelectorAll('#page *')]
      .filter((element) => element.checkVisibility() && [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim()))
      .map((element) => getComputedStyle(element)).map(({ fontSize, fontWeight, lineHeight }) => [fontSize, fontWeight, lineHeight].join(' ')))]`);
    expect(new Set(fonts.map((font) => font.split(' ')[0])).size).toBeLessThanOrEqual(4);
    expect(fonts.slice(8)).toEqual([]);
  });
});
