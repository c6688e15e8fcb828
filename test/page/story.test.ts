import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`what happened to a message (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  const storyOn = (page: Page) => page.getByRole('complementary', { name: 'What happened' });
  const threadOn = (page: Page) => page.getByRole('region', { name: 'Messages of' });
  const focused = (page: Page) => page.evaluate('document.activeElement.getAttribute("aria-label")');

  it('is shown immediately, of the newest message of the newest conversation', async () => {
    await shown.send('+12025550177', 'welcome');
    await shown.send('+12025550101', 'welcome');
    const id = await shown.send('+12025550101', 'verification_code', ['4711']);
    const page = await tabs.open(shown.link);
    await page.getByRole('region', { name: 'Messages of +12025550101' }).waitFor();
    await storyOn(page).getByText(id, { exact: true }).waitFor();
    await storyOn(page).getByText('POST send-template · 200').waitFor();
    const chosen = page.locator('[aria-current="true"][aria-label="What happened"]');
    expect(await page.getByRole('article').filter({ has: chosen }).innerText()).toContain('Your code is 4711.');
    await shown.send('+12025550188', 'welcome');
    await page.getByRole('region', { name: 'Messages of +12025550188' }).waitFor();
  });

  it('stays while someone types, also when another number gets a message', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link);
    const field = page.getByRole('textbox', { name: 'Reply as +12025550101' });
    await field.pressSequentially('Where is');
    await shown.send('+12025550188', 'welcome');
    await page.getByRole('link', { name: '+12025550188' }).getByText('1 unread').waitFor();
    await page.keyboard.type(' my order?');
    expect(await field.inputValue()).toBe('Where is my order?');
  });

  it('is that of the message that is clicked', async () => {
    const first = await shown.send('+12025550101', 'welcome');
    await shown.send('+12025550101', 'verification_code', ['1']);
    const page = await tabs.open(shown.link);
    await threadOn(page).getByRole('article', { name: 'welcome' }).getByText('Welcome!').click();
    await storyOn(page).getByText(first, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Deliver now' }).count()).toBe(1);
    const welcome = page.getByRole('article', { name: 'welcome' });
    expect(await welcome.getByRole('button', { name: 'Deliver now' }).count()).toBe(1);
  });

  it.each([
    ['without any webhook', []],
    [
      'with a webhook for other events only',
      [{ url: 'http://127.0.0.1:9/hooks', events: ['contact.created'] as const }],
    ],
  ])('has the payload of an event %s', async (_, webhooks) => {
    for (const webhook of webhooks) shown.sandbox.webhooks.add(webhook);
    const id = await shown.send('+12025550101', 'welcome');
    await shown.sandbox.time.advance(400);
    const page = await tabs.open(shown.link);
    const step = storyOn(page).getByRole('listitem').filter({ hasText: '"message.delivered"' });
    const payload = JSON.parse(await step.locator('pre').innerText());
    expect(payload).toMatchObject({ type: 'message.delivered', data: { message_id: id, to: '+12025550101' } });
    await storyOn(page).getByText('no webhook received it').waitFor();
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('row').filter({ hasText: 'welcome' }).getByText('no webhook', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    const table = page.getByRole('table', { name: 'Deliveries' });
    await table.getByRole('row').getByText('no webhook', { exact: true }).waitFor();
  });

  it('has the payload of a reply', async () => {
    shown.sandbox.trigger('message.received', { from: '+12025550101', text: 'Thanks' });
    const page = await tabs.open(shown.link);
    const payload = storyOn(page).locator('pre');
    expect(JSON.parse(await payload.innerText())).toMatchObject({ type: 'message.received', data: { text: 'Thanks' } });
  });

  it('has what the handler answered, and when the next retry is due', async () => {
    const hook = await receiver((response) => response.writeHead(500).end('TypeError: order is undefined'));
    shown.sandbox.webhooks.add({ url: hook.url });
    await shown.send('+12025550101', 'welcome');
    await shown.sandbox.time.advance(400);
    const page = await tabs.open(shown.link);
    const steps = storyOn(page).getByRole('listitem').filter({ hasText: 'POST 127.0.0.1' });
    await steps
      .first()
      .getByText(/^500 in \d+ ms$/)
      .waitFor();
    await steps.first().getByRole('button').click();
    const answer = steps.first().locator('pre').first();
    await expect.poll(() => answer.innerText()).toMatch(/\n\nTypeError: order is undefined$/);
    await steps.first().getByText('Request', { exact: true }).click();
    await steps.first().getByText('webhook-signature: v1,').waitFor();
    const next = steps.filter({ hasText: 'due' });
    await next.getByText('retry 1', { exact: true }).waitFor();
    await next.getByText(/^due 00:00:0\d · in \d s$/).waitFor();
    await shown.sandbox.time.advance(6_000);
    await storyOn(page)
      .getByText(/^retry 1: 500 in/)
      .first()
      .waitFor();
    await steps.getByText('retry 2', { exact: true }).first().waitFor();
  });

  it('has what the handler behind a listener answered', async () => {
    const listener = await receiver();
    const { id: webhook } = shown.sandbox.webhooks.add({ url: listener.url });
    await shown.send('+12025550101', 'welcome');
    await shown.sandbox.time.advance(400);
    const event = shown.sandbox.events()[0]?.id ?? '';
    const body = 'TypeError: order is undefined\n    at hook.js:12';
    const answer = { event, url: 'http://localhost:3000/hook', status: 500, body, took: 12 };
    shown.sandbox.reportForwards(webhook, [answer]);
    const page = await tabs.open(shown.link);
    const step = storyOn(page).getByRole('listitem').filter({ hasText: 'Handler localhost:3000/hook' });
    await step.getByText('500 in 12 ms: TypeError: order is undefined', { exact: true }).waitFor();
    await step.getByRole('button').click();
    await step.getByText('at hook.js:12').waitFor();
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('row').filter({ hasText: 'welcome' }).getByText('200 → 500').waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    const table = page.getByRole('table', { name: 'Deliveries' });
    await expect.poll(() => table.innerText()).toContain('handler 500');
  });

  it('has the times of retries on a phone, and payloads whose values wrap as a whole', async () => {
    shown.sandbox.webhooks.add({ url: 'http://127.0.0.1:9/hooks' });
    await shown.send('+12025550101', 'welcome');
    await shown.sandbox.time.advance(400);
    const page = await tabs.open(shown.link, { viewport: { width: 375, height: 812 } });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').filter({ hasText: 'retrying' });
    await row.getByText(/due 00:00:\d\d$/).waitFor();
    await row.getByText('message.delivered').click();
    const payload = page.getByLabel('Details').locator('pre');
    expect(JSON.parse(await payload.innerText())).toMatchObject({ type: 'message.delivered' });
    const heights = payload.locator('.string').evaluateAll((values) => values.map(({ clientHeight }) => clientHeight));
    expect(new Set(await heights).size).toBe(1);
  });

  it('gets to what is due by one button', async () => {
    await shown.send('+12025550103', 'welcome');
    const page = await tabs.open(shown.link);
    const delivered = storyOn(page).getByRole('listitem').filter({ hasText: 'Delivered' });
    await delivered.getByText(/^due 00:00:\d\d · in [45] s$/).waitFor();
    await delivered.getByRole('button', { name: 'Now' }).click();
    await delivered.getByText('"message.delivered"').waitFor();
    expect(shown.sandbox.messages()).toMatchObject([{ status: 'delivered' }]);
  });

  it('has steps that open and close by keyboard', async () => {
    await shown.send('+12025550101', 'welcome');
    await shown.sandbox.time.advance(400);
    const page = await tabs.open(shown.link);
    const step = storyOn(page).getByRole('button', { name: 'Accepted' });
    const request = storyOn(page).getByRole('region', { name: 'Request' });
    await step.focus();
    for (const key of ['Enter', 'Space']) {
      await page.keyboard.press(key);
      await request.getByText('POST /api/public/messages/send-template').waitFor();
      expect(await step.getAttribute('aria-expanded')).toBe('true');
      await page.keyboard.press(key);
      await request.waitFor({ state: 'detached' });
      expect(await step.getAttribute('aria-expanded')).toBe('false');
    }
    expect(await step.evaluate((button) => button.matches(':focus'))).toBe(true);
  });

  it('shows hidden characters and direction overrides in its request, payload and answer', async () => {
    const hook = await receiver((response) => response.writeHead(500).end('no\u202E\u0007'));
    shown.sandbox.webhooks.add({ url: hook.url });
    shown.sandbox.seed({ contacts: [{ phone: '+12025550101', name: 'Ada \u202Eadmin' }] });
    shown.sandbox.trigger('message.received', { from: '+12025550101', text: '\u202Egnp.exe' });
    const page = await tabs.open(shown.link);
    await threadOn(page).getByRole('heading', { name: 'Ada \\u202eadmin' }).waitFor();
    await storyOn(page).getByText('"\\u202egnp.exe"').waitFor();
    await storyOn(page).getByRole('button', { name: 'POST 127.0.0.1' }).click();
    await storyOn(page).getByText('no\\u202e\\u0007').waitFor();
    expect(await page.evaluate('/[\\u202e\\u0007]/.test(document.body.innerText)')).toBe(false);
    await shown.send('+12025550101', 'verification_code', ['\u202E']);
    await storyOn(page).getByRole('region', { name: 'Request' }).getByText('"\\u202e"').waitFor();
    expect(await page.evaluate('/[\\u202e\\u0007]/.test(document.body.innerText)')).toBe(false);
  });

  it('takes the place of the conversation in a window of less than 960 px, with a way back', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link, { viewport: { width: 900, height: 800 } });
    const [thread, story] = [threadOn(page), storyOn(page)];
    await thread.getByRole('article', { name: 'welcome' }).waitFor();
    expect(await story.isVisible()).toBe(false);
    const open = thread.getByRole('link', { name: 'What happened' });
    await open.press('Enter');
    await story.getByText('POST send-template · 200').waitFor();
    expect(await thread.isVisible()).toBe(false);
    await expect.poll(() => focused(page)).toBe('Back to the conversation');
    await story.getByRole('button', { name: 'Deliver now' }).click();
    await story.getByText('"message.delivered"').waitFor();
    await story.getByRole('link', { name: 'Back to the conversation' }).press('Enter');
    await thread.getByRole('article', { name: 'welcome' }).waitFor();
    expect(await story.isVisible()).toBe(false);
    await expect.poll(() => focused(page)).toBe('What happened');
  });

  it('is one of three columns, and a window of less than 720 px shows one of them', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link, { viewport: { width: 700, height: 800 } });
    const columns = [page.getByRole('navigation', { name: 'Numbers' }), threadOn(page), storyOn(page)];
    const visible = async () => (await Promise.all(columns.map((one) => one.isVisible()))).indexOf(true);
    const count = async () => (await Promise.all(columns.map((one) => one.isVisible()))).filter(Boolean).length;
    const expectOnly = async (column: number) => {
      await expect.poll(visible).toBe(column);
      expect(await count()).toBe(1);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    };
    const number = page.getByRole('link', { name: '+12025550101' });
    await number.waitFor();
    await expectOnly(0);
    await number.press('Enter');
    await expectOnly(1);
    await expect.poll(() => focused(page)).toBe('Back to the numbers');
    await page.getByRole('link', { name: 'What happened' }).press('Enter');
    await expectOnly(2);
    await page.keyboard.press('Escape');
    await expectOnly(1);
    await page.getByRole('link', { name: 'Back to the numbers' }).press('Enter');
    await expectOnly(0);
    await expect.poll(() => number.evaluate((link) => link.matches(':focus'))).toBe(true);
  });
});
