import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

async function showAll(article: Locator): Promise<void> {
  const button = article.getByRole('button', { name: 'Show all' });
  if ((await button.count()) > 0) await button.click();
}

describe.skipIf(noBrowser)(`replies and new messages (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  it('reach a real handler, and show its response', async () => {
    const hook = await receiver((response) => response.writeHead(202).end());
    shown.sandbox.webhooks.add({ url: hook.url });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550103' }).first().click();
    const field = page.getByRole('textbox', { name: 'Reply as' });
    await field.fill('Please ');
    await page.getByRole('button', { name: 'STOP' }).click();
    await page.keyboard.type(' this');
    await page.keyboard.press('Enter');
    const reply = page.getByRole('article', { name: 'Reply' });
    await reply.getByText('Please STOP this').waitFor();
    await page
      .getByRole('complementary', { name: 'What happened' })
      .getByText(/^202 in \d+ ms$/)
      .waitFor();
    const events = shown.sandbox.events().map(({ type, data }) => [type, data['text']]);
    expect(events).toContainEqual(['message.received', 'Please STOP this']);
  });

  it('say that no webhook is registered', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550103' }).first().click();
    const field = page.getByRole('textbox', { name: 'Reply as' });
    await page.getByText('No webhook receives replies').waitFor();
    await field.fill('  ');
    await field.press('Enter');
    await field.fill('Hello');
    await Promise.all([field.press('Enter'), field.press('Enter')]);
    const story = page.getByRole('complementary', { name: 'What happened' });
    await story
      .getByRole('listitem')
      .filter({ hasText: 'Not delivered' })
      .getByText('no webhook received it')
      .waitFor();
    const replies = shown.sandbox.events().filter(({ type }) => type === 'message.received');
    expect(replies.map(({ data }) => data['text'])).toEqual(['Hello']);
    shown.sandbox.webhooks.add({ url: 'http://127.0.0.1:9/hooks' });
    await page.getByText('No webhook receives replies').waitFor({ state: 'detached' });
  });

  it('are kept for each number until they are sent', async () => {
    const page = await tabs.open(shown.link);
    const field = page.getByRole('textbox', { name: 'Reply as' });
    const open = (phone: string) => page.getByRole('link', { name: phone }).first().click();
    await open('+12025550101');
    await field.fill('To be continued');
    await page.keyboard.press('Escape');
    await open('+12025550102');
    await expect.poll(() => field.inputValue()).toBe('');
    await field.fill('Another');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('Another');
    await open('+12025550101');
    await expect.poll(() => field.inputValue()).toBe('To be continued');
    await field.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('');
    await page.reload();
    await page.getByText('To be continued').first().waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  });

  it('are sent through the API, with a preview', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('button', { name: 'New message' }).click();
    const dialog = page.getByRole('dialog', { name: 'New message' });
    await dialog.getByRole('textbox', { name: 'To' }).fill('+12025550177');
    await dialog.getByRole('combobox', { name: 'Template' }).selectOption('order_update');
    await dialog.getByRole('textbox', { name: 'name' }).fill('Ada');
    await dialog.getByRole('button', { name: 'Send' }).click();
    expect(await dialog.locator('input:invalid').count()).toBe(1);
    await dialog.getByRole('textbox', { name: 'order' }).fill('A-1');
    await dialog.getByRole('group', { name: 'Preview' }).getByText('Hello Ada, your order A-1').waitFor();
    await dialog.getByRole('button', { name: 'Send' }).dblclick();
    await page.getByRole('article', { name: 'order_update, sent' }).waitFor();
    expect(shown.sandbox.messages()).toMatchObject([{ to: '+12025550177', params: ['Ada', 'A-1'] }]);
  });

  it('have a template, even if the templates arrive after the dialog has opened', async () => {
    const page = await tabs.open('about:blank');
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await page.route('**/__sandbox/templates', (route) => arrived.then(() => route.continue()));
    await page.goto(shown.link);
    await page.getByRole('button', { name: 'New message' }).click();
    const template = page.getByRole('dialog').getByRole('combobox', { name: 'Template' });
    await template.waitFor();
    arrive();
    await expect.poll(() => template.inputValue()).toMatch(/^\w+$/);
    await page.getByRole('dialog').getByRole('group', { name: 'Preview' }).waitFor();
  });

  it('show why a message was rejected', async () => {
    const page = await tabs.open(shown.link, { expected: /status of 404/ });
    await page.getByRole('button', { name: 'New message' }).click();
    const dialog = page.getByRole('dialog', { name: 'New message' });
    await dialog.getByRole('combobox', { name: 'Template' }).selectOption('regalo');
    await dialog.getByRole('button', { name: 'Send' }).click();
    const alert = dialog.getByRole('alert');
    await expect.poll(() => alert.innerText()).toMatch(/^[^{}]*not approved/);
    expect(await alert.innerText()).not.toContain('{');
    await alert.getByText('Answer of the service').click();
    await alert.getByText('"status":404').waitFor();
  });

  it.each([
    ['no answer comes', 'hang', 'No answer within 10 seconds. The message may have been sent'],
    ['the connection breaks', 'reset', 'The connection broke before the answer. The message may have been sent'],
  ] as const)('may have been sent if %s', async (_, kind, text) => {
    shown.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind }, after: true });
    const page = await tabs.open(shown.link, { isApart: true });
    await page.clock.install();
    await page.getByRole('button', { name: 'New message' }).click();
    const dialog = page.getByRole('dialog', { name: 'New message' });
    await dialog.getByRole('combobox', { name: 'Template' }).selectOption('welcome');
    await dialog.getByRole('button', { name: 'Send' }).click();
    // Chromium repeats a request whose connection was reset.
    await expect.poll(() => shown.sandbox.messages().length).toBeGreaterThan(0);
    if (kind === 'hang') await page.clock.fastForward(11_000);
    await expect.poll(() => dialog.getByRole('alert').innerText()).toContain(text);
  });

  it.each([
    ['markup', '<img src=x onerror="document.title=1"><script>alert(1)</script>'],
    ['a right-to-left override', '\u202Egnp.exe', '\\u202egnp.exe'],
    ['control characters', 'a\u0007\u009B31m\u200B\u2066b\tc', 'a\\u0007\\u009b31m\\u200b\\u2066b\tc'],
    ['joined emoji and Arabic', '👩‍👩‍👧 شكرا'],
    ['200 KB', 'x'.repeat(200_000)],
  ])('stay text with %s', async (_, text, marked = text) => {
    await shown.send('+12025550101', 'verification_code', [text]);
    shown.sandbox.trigger('message.received', { from: '+12025550101', text });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: '+12025550101' }).first().click();
    const reply = page.getByRole('article', { name: 'Reply' });
    await reply.waitFor();
    await showAll(reply);
    await expect.poll(() => reply.locator('.text').textContent()).toBe(marked);
    await page.getByRole('region', { name: 'List of messages' }).press('Home');
    const message = page.getByRole('article', { name: 'verification_code' });
    await message.waitFor();
    await showAll(message);
    await expect.poll(() => message.locator('mark').textContent()).toBe(marked);
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.evaluate('/[\\u0007\\u009b\\u200b\\u202e\\u2066]/.test(document.body.innerText)')).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await page.title()).toContain('SANDBOX');
  });
});
