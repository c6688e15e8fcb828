import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`Ctrl-K (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  it.each([
    ['a name', 'hopper', '#phones/%2B12025550111'],
    ['a number', '5550102 number', '#phones/%2B12025550102'],
    ['a text', '471100', '#phones/%2B12025550101%2Fmsg_'],
    ['a message by its id', 'msg_sandbox', '#phones/%2B12025550101%2Fmsg_'],
    ['an event by its id', 'evt_', '#timeline/'],
    ['a template', 'order_update template', '#contents/templates%2Forder_update'],
    ['a screen', 'settings', '#limits'],
  ])('finds %s', async (_, words, address) => {
    await shown.send('+12025550101', 'verification_code', ['471100']);
    await shown.sandbox.time.advance(400);
    const page = await tabs.open(shown.link);
    await page.getByRole('article').first().waitFor();
    await page.keyboard.press('Control+k');
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('combobox');
    await page.keyboard.type(words);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(address);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('runs commands of the page, chosen by arrow keys or a click', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('button', { name: 'Find anything' }).click();
    await page.getByRole('combobox').fill('next send');
    const options = page.getByRole('option');
    await expect.poll(() => options.count()).toBe(4);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => options.nth(1).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await expect.poll(() => shown.sandbox.faults.list()).toMatchObject([{ effect: { status: 500 }, after: true }]);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('new message');
    await options.first().click();
    const dialog = page.getByRole('dialog', { name: 'New message' });
    await dialog.getByRole('textbox', { name: 'To' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('no such thing');
    await page.getByText('Nothing contains').waitFor();
  });
});
