import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { addresses, noBrowser, show, useBrowser, useSandbox } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules that colors can break. */
const ofColors = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** Findings of axe in light colors, and those about colors in dark ones, with the elements, except minor ones. */
async function findings(page: Page): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const found: unknown[] = [];
  for (const [colorScheme, options] of [
    ['light', {}],
    ['dark', ofColors],
  ] as const) {
    // A transition between the colors would be a finding.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const inScheme: unknown = await page.evaluate(
      `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations
        .filter(({ impact }) => impact !== 'minor')
        .map(({ id, nodes }) => ['${colorScheme}', id, ...nodes.map(({ html }) => html)]))`,
    );
    found.push(inScheme);
  }
  return found.flat();
}

const sizes = [
  [1_440, 900],
  [1_024, 768],
  [375, 812],
] as const;

describe.skipIf(noBrowser)(`the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  async function fill(): Promise<void> {
    shown.sandbox.webhooks.add({ url: 'http://127.0.0.1:9/hooks' });
    shown.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'latency', ms: 1 } });
    await shown.send('+12025550101', 'order_update', ['Ada', 'A-1']);
    await shown.send('+12025550101', 'order_update', ['Ada', 'A-1']);
    await shown.send('+12025550102', 'welcome');
    shown.sandbox.trigger('message.received', { from: '+12025550101', text: 'Thanks' });
    shown.sandbox.trigger('broadcast.completed', { template: 'appointment_reminder' });
    await shown.sandbox.time.advance(400);
  }

  it.each(sizes)(
    'has no finding of axe on any screen of %i × %i pixels, and nothing scrolls sideways',
    async (width, height) => {
      await fill();
      const page = await tabs.open(shown.link, { viewport: { width, height } });
      for (const address of addresses) {
        await show(page, address);
        expect([address, await findings(page)]).toEqual([address, []]);
        const wide = `[document.documentElement, ...document.querySelectorAll('.list, .detail, .side, .story')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ className }) => className)`;
        expect([address, await page.evaluate(wide)]).toEqual([address, []]);
      }
    },
  );

  it.each(sizes)('has no finding of axe in what happened to a message, of %i × %i pixels', async (width, height) => {
    const hook = await receiver((response) => response.writeHead(500).end('TypeError: order is undefined'));
    shown.sandbox.webhooks.add({ url: hook.url });
    const id = await shown.send('+12025550103', 'welcome');
    await shown.sandbox.time.advance(5_000);
    const page = await tabs.open(shown.link, { viewport: { width, height } });
    await page.goto(`${shown.url}/__sandbox/#phones/${encodeURIComponent(`+12025550103/${id}`)}`);
    const steps = page.getByRole('complementary', { name: 'What happened' }).getByRole('listitem');
    await steps.filter({ hasText: 'Accepted' }).getByRole('button').first().click();
    await page.getByRole('region', { name: 'Request' }).waitFor();
    await steps.getByRole('button', { name: 'POST 127.0.0.1' }).click();
    await steps.getByText('TypeError: order is undefined').waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('has no finding of axe in a thread, a menu and a dialog', async () => {
    await fill();
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByText('sent twice').waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByText('Connect', { exact: true }).click();
    await page.getByRole('button', { name: 'Copy .env' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.getByText('Connect', { exact: true }).click();
    await page.getByRole('button', { name: 'New message' }).click();
    await page.getByRole('dialog', { name: 'New message' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('has no finding of axe in the details of a request', async () => {
    await fill();
    const page = await tabs.open(shown.link);
    await show(page, 'timeline');
    await page.getByRole('row').filter({ hasText: 'welcome' }).getByRole('button').click();
    await page.getByRole('region', { name: 'Details' }).getByRole('button', { name: 'Accepted' }).click();
    await page.getByRole('region', { name: 'Request' }).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  it('can be used by keyboard only', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link);
    const { keyboard } = page;
    await page.getByRole('heading', { name: '+12025550101' }).waitFor();
    await keyboard.press('j');
    await page.getByRole('heading', { name: '+12025550102' }).waitFor();
    await keyboard.press('k');
    await page.getByRole('heading', { name: '+12025550101' }).waitFor();
    await keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.placeholder')).toBe('Reply as +12025550101');
    await keyboard.type('Where is my order? gpj');
    await keyboard.press('Enter');
    await page.getByRole('article', { name: 'Reply' }).getByText('Where is my order? gpj').waitFor();
    await keyboard.press('Escape');

    await keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New message' });
    await dialog.getByRole('textbox', { name: 'To' }).waitFor();
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('BODY');
    await keyboard.press('/');
    await keyboard.type('0103');
    const numbers = page.getByRole('navigation', { name: 'Numbers' });
    await numbers.getByRole('link', { name: '0102' }).waitFor({ state: 'detached' });
    await numbers.getByRole('link', { name: '0103' }).waitFor();
    await keyboard.press('Escape');
    await keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Shortcuts' });
    await expect.poll(() => keys.innerText()).toContain('Next and previous row');
  });

  it('has the keys of a conversation from the moment it is shown', async () => {
    const page = await tabs.open(shown.link);
    const link = page.getByRole('link', { name: '+12025550101' }).first();
    await link.waitFor();
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (!document.querySelector('.thread')) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true })`);
    await link.click();
    await expect.poll(() => page.evaluate('document.activeElement.placeholder')).toBe('Reply as +12025550101');
  });

  it('goes back to the screen before a shortcut', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550101' }).first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(() => page.title()).toContain('Messages');
  });

  it('does not cover Reply with a notice', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByRole('button', { name: 'Copy number' }).click();
    const notice = page.locator('.notice.done, .notice.problem');
    const [above, reply] = [await notice.boundingBox(), await page.locator('.reply-form').boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThan(reply?.y ?? 0);
  });

  it('has single keys that can be turned off', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550101' }).first().waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Shortcuts' });
    await dialog.getByRole('checkbox', { name: 'Single letters are shortcuts' }).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('n');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(page.url()).toBe(`${shown.url}/__sandbox/`);
  });

  it('returns the focus to the button that opened a dialog', async () => {
    const page = await tabs.open(shown.link);
    const button = page.getByRole('button', { name: 'New message' });
    await button.press('Enter');
    await page.getByRole('dialog', { name: 'New message' }).getByRole('textbox', { name: 'To' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.textContent.trim()')).toBe('New message');
  });
});
