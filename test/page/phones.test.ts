import { describe, expect, it } from 'vitest';
import { addresses, noBrowser, show, useBrowser, useSandbox } from './browser.ts';

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

  it('teaches only while there is no message', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('heading', { name: 'Send a first message' }).waitFor();
    await shown.send('+12025550177', 'welcome');
    await page.getByRole('article', { name: 'welcome' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Send a first message' }).count()).toBe(0);
  });

  it('shows all numbers again after Escape in the search', async () => {
    const page = await tabs.open(shown.link);
    const numbers = page.getByRole('navigation', { name: 'Numbers' }).getByRole('link');
    await expect.poll(() => numbers.count()).toBe(3);
    await page.getByRole('searchbox').fill('0102');
    await expect.poll(() => numbers.count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => numbers.count()).toBe(3);
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });

  it('leaves a phone room for each screen', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link, { viewport: { width: 375, height: 720 } });
    for (const screen of ['phones', 'timeline', 'limits'] as const) {
      await show(page, screen);
      await page.getByRole('button', { name: '+1 min' }).waitFor();
      const top = await page.evaluate('document.querySelector("main").getBoundingClientRect().top');
      const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
      expect({ screen, isHigh: Number(top) > 96, fits }).toEqual({ screen, isHigh: false, fits: true });
    }
  });

  it.each([320, 375, 768, 1_024])('fits each screen into a window of %i px', async (width) => {
    shown.sandbox.webhooks.add({ url: 'http://127.0.0.1:65535/hooks' });
    await shown.send('+12025550101', 'appointment_reminder', ['Ada', 'Monday', '9:00']);
    await shown.sandbox.time.advance(400);
    const page = await tabs.open(shown.link, { viewport: { width, height: 640 } });
    const cut = `[...document.querySelectorAll('html, header, nav, .clock, .list, .detail, .device, .story')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ outerHTML }) => outerHTML.slice(0, 60))`;
    for (const address of addresses) {
      await show(page, address);
      await expect.poll(() => page.evaluate(cut), { message: address }).toEqual([]);
    }
  });

  it('breaks long words in the header of a conversation, in details and in dialogs', async () => {
    const [long, phone] = ['W'.repeat(1_000), '+12025550101'];
    shown.sandbox.seed({ contacts: [{ phone, name: long }] });
    shown.sandbox.webhooks.add({ url: `http://127.0.0.1:9/${long}` });
    const { events } = shown.sandbox.trigger('message.received', { from: phone, text: 'Hi' });
    const [delivery] = shown.sandbox.delivery(events.at(-1)?.id ?? '');
    const page = await tabs.open(shown.link);
    const overflow = (selector: string) =>
      page.evaluate(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${selector}'))`,
      );
    await page.goto(`${shown.url}/__sandbox/#phones/${encodeURIComponent(phone)}`);
    await page.locator('.device > header').getByText(long).waitFor();
    expect(await overflow('.device > header')).toBe(0);
    expect((await page.locator('.device > header').boundingBox())?.height).toBeLessThan(100);
    await page.locator('.story').getByText(long).first().waitFor();
    expect(await overflow('.story')).toBe(0);
    await page.goto(`${shown.url}/__sandbox/#deliveries/${delivery?.id}`);
    await page.locator('.detail').getByText(long).first().waitFor();
    expect(await overflow('.detail')).toBe(0);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByText(long).waitFor();
    expect(await overflow('dialog[open]')).toBe(0);
  });

  it('scrolls deliveries only down on a phone, also without a response', async () => {
    shown.sandbox.webhooks.add({ url: 'http://127.0.0.1:65535/hooks' });
    shown.sandbox.faults.add({ on: ['broadcast.completed'], effect: { kind: 'delay', ms: 60_000 } });
    shown.sandbox.trigger('broadcast.completed', { template: 'welcome' });
    const page = await tabs.open(shown.link, { viewport: { width: 375, height: 720 } });
    await show(page, 'deliveries');
    await page.getByRole('row').filter({ hasText: 'broadcast.completed' }).getByText('waiting').waitFor();
    expect(await page.locator('.list').evaluate((list) => list.scrollWidth - list.clientWidth)).toBe(0);
  });

  it('starts a message from a conversation on a phone', async () => {
    const page = await tabs.open(shown.link, { viewport: { width: 375, height: 720 } });
    await page.getByRole('link', { name: '+12025550102' }).first().click();
    await page.getByRole('button', { name: 'New message' }).click();
    const to = page.getByRole('dialog').getByRole('textbox', { name: 'To' });
    await expect.poll(() => to.inputValue()).toBe('+12025550102');
  });

  it('clears all messages, once it has asked', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link);
    await page.getByRole('button', { name: 'Clear all messages' }).click();
    expect(shown.sandbox.messages()).toHaveLength(1);
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: 'Send a first message' }).waitFor();
    expect(shown.sandbox.messages()).toEqual([]);
    await page.getByRole('link', { name: '+12025550103' }).click();
    await page.getByRole('heading', { name: '+12025550103' }).waitFor();
    await shown.send('+12025550101', 'verification_code', ['1']);
    await page.getByRole('link', { name: '+12025550101' }).first().getByText('1 unread').waitFor();
  });

  it('counts a message as unread after another tab or command has cleared all messages', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550103' }).click();
    const phone = page.getByRole('link', { name: '+12025550101' }).first();
    await phone.getByText('Welcome!').waitFor();
    shown.sandbox.reset('messages');
    await shown.send('+12025550101', 'verification_code', ['1']);
    await phone.getByText('Your code is 1.').waitFor();
    await expect.poll(() => phone.getByText('1 unread').count()).toBe(1);
  });

  it('shows a message when it is sent, with its variables marked', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByRole('region', { name: 'Messages of' }).getByText('No messages yet').waitFor();
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
    const message = page.getByRole('article');
    const ticks = message.locator('svg').first().locator('path');
    await message.getByText('sent', { exact: true }).waitFor();
    expect(await ticks.count()).toBe(1);
    await shown.sandbox.time.advance(400);
    await message.getByText('delivered', { exact: true }).waitFor();
    expect(await ticks.count()).toBe(2);
    await shown.sandbox.time.advance(3_000);
    await message.getByText('read', { exact: true }).waitFor();
    await page.getByRole('link', { name: '+12025550102' }).click();
    await message.getByText('failed', { exact: true }).waitFor();
    await message.getByText('this test number always fails').waitFor();
  });

  it('delivers, reads and fails a message on demand', async () => {
    const page = await tabs.open(shown.link);
    await shown.send('+12025550101', 'welcome');
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    await page.getByRole('button', { name: 'Deliver now' }).click();
    await page.getByRole('article', { name: 'welcome, delivered' }).waitFor();
    await page.getByRole('button', { name: 'Mark read' }).click();
    await page.getByRole('article', { name: 'welcome, read' }).waitFor();

    await shown.send('+12025550101', 'verification_code', ['123']);
    const other = page.getByRole('article', { name: 'verification_code' }).filter({ hasText: '123' });
    await other.getByRole('button', { name: 'Fail' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fail this message' });
    await dialog.getByRole('combobox', { name: 'Code' }).fill('opted_out');
    await dialog.getByRole('textbox', { name: 'Text' }).fill('the customer has opted out');
    // Another message does not close the dialog.
    await shown.send('+12025550101', 'verification_code', ['456']);
    await page.getByText('Your code is 456.').first().waitFor();
    await dialog.getByRole('button', { name: 'Fail' }).click();
    await other.getByText('opted_out: the customer has opted out').waitFor();
    expect(shown.sandbox.events().at(-1)?.data).toMatchObject({
      status: 'failed',
      reason: { code: 'opted_out', message: 'the customer has opted out' },
    });
  });

  it('counts unread messages until their phone is opened', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550103' }).click();
    const row = page.getByRole('link', { name: '+12025550101' }).first();
    await row.getByText('Welcome!').waitFor();
    expect(await row.innerText()).not.toContain('unread');
    await shown.send('+12025550101', 'verification_code', ['1']);
    await shown.send('+12025550101', 'verification_code', ['2']);
    await row.getByText('2 unread').waitFor();
    await row.click();
    await row.getByText('unread').waitFor({ state: 'detached' });
    await shown.send('+12025550101', 'verification_code', ['3']);
    await row.getByText('Your code is 3.').waitFor();
    expect(await row.innerText()).not.toContain('unread');
  });

  it('renders only what is in view of 5,000 messages, and starts at the newest', async () => {
    const { sandbox } = shown;
    sandbox.seed({ contacts: Array.from({ length: 4_990 }, (_, at) => ({ phone: `+1202${5_600_000 + at}` })) });
    sandbox.trigger('broadcast.completed', { name: 'Large', template: 'welcome' });
    for (let at = 0; at < 200; at++) await shown.send('+12025550101', 'verification_code', [String(at)]);
    const page = await tabs.open(shown.link);
    const numbers = page.getByRole('navigation', { name: 'Numbers' });
    const [first, test] = ['+12025604989', '+12025550101'].map((name) => numbers.getByRole('link', { name }));
    // The newest conversation is open, but at the end of the list.
    await numbers.getByText('Your code is 199.').waitFor();
    expect(await numbers.getByRole('link').count()).toBeLessThan(60);
    await numbers.getByRole('region').press('Home');
    await first?.waitFor();
    await test?.waitFor({ state: 'detached' });
    expect(await numbers.getByRole('link').count()).toBeLessThan(60);
    const messages = page.getByRole('region', { name: 'List of messages' });
    await messages.getByText('Your code is 199.').waitFor();
    expect(await messages.getByRole('article').count()).toBeLessThan(60);
    await messages.press('Home');
    await messages.getByText('Your code is 0.').waitFor();
    expect(await messages.getByRole('article').count()).toBeLessThan(60);
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
