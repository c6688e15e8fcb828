import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`the phones of the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  it('shows the test numbers and a command to try, and removes the token from the address', async () => {
    const page = await tabs.open(shown.link);
    const numbers = page.getByRole('navigation', { name: 'Numbers' });
    await numbers.getByRole('link', { name: '+12025550103' }).waitFor();
    expect(await numbers.getByRole('link').allInnerTexts()).toEqual([
      expect.stringContaining('+12025550101'),
      expect.stringContaining('+12025550102'),
      expect.stringContaining('+12025550103'),
    ]);
    expect(await page.getByText('bizmsg send-template').innerText()).toContain('--profile local');
    expect(page.url()).toBe(`${shown.url}/__sandbox/`);
    expect(await page.title()).toContain('SANDBOX');
  });

  it('shows a message when it is sent, with its variables marked', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByText('No messages yet').waitFor();
    await shown.send('+12025550101', 'order_update', ['Ada', 'A-1']);
    const message = page.getByRole('article', { name: 'order_update, sent' });
    await message.getByText('Hello Ada, your order A-1 is on its way.').waitFor();
    expect(await message.locator('mark').allInnerTexts()).toEqual(['Ada', 'A-1']);
  });

  it('shows in words and ticks when a message is delivered, read or failed', async () => {
    const page = await tabs.open(shown.link);
    await shown.send('+12025550101', 'welcome');
    await shown.send('+12025550102', 'welcome');
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByText('✓ sent').waitFor();
    await shown.sandbox.time.advance(400);
    await page.getByText('✓✓ delivered').waitFor();
    await shown.sandbox.time.advance(3_000);
    await page.getByText('✓✓ read').waitFor();
    await page.getByRole('link', { name: '+12025550102' }).click();
    await page.getByText('✕ failed').waitFor();
    expect(await page.getByRole('article').innerText()).toContain('this test number always fails');
  });

  it('delivers, reads and fails a message on demand', async () => {
    const page = await tabs.open(shown.link);
    await shown.send('+12025550101', 'welcome');
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByRole('button', { name: 'Deliver now' }).click();
    await page.getByText('✓✓ delivered').waitFor();
    await page.getByRole('button', { name: 'Mark read' }).click();
    await page.getByText('✓✓ read').waitFor();

    await shown.send('+12025550101', 'verification_code', ['123']);
    const other = page.getByRole('article', { name: 'verification_code' });
    await other.getByRole('button', { name: 'Fail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fail this message' });
    await dialog.getByRole('combobox', { name: 'Code' }).fill('opted_out');
    await dialog.getByRole('textbox', { name: 'Text' }).fill('the customer has opted out');
    await dialog.getByRole('button', { name: 'Fail' }).click();
    await other.getByText('opted_out: the customer has opted out').waitFor();
    expect(shown.sandbox.events().at(-1)?.data).toMatchObject({
      status: 'failed',
      reason: { code: 'opted_out', message: 'the customer has opted out' },
    });
  });

  it('marks a message that was sent twice', async () => {
    const page = await tabs.open(shown.link);
    await shown.send('+12025550101', 'order_update', ['Ada', 'A-1']);
    await shown.send('+12025550101', 'order_update', ['Ada', 'A-2']);
    await shown.send('+12025550101', 'order_update', ['Ada', 'A-1']);
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByText('sent twice').waitFor();
    expect(await page.getByRole('article').filter({ hasText: 'sent twice' }).count()).toBe(1);
  });
});
