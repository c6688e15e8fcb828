import { describe, expect, it } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`the signature checker of the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();
  const own = `whsec_${Buffer.from('a secret of the webhook itself').toString('base64')}`;

  /** Opens the checker with a delivery as a handler got it. */
  async function openChecker(secret?: string) {
    const hook = await receiver();
    shown.sandbox.webhooks.add({ url: hook.url, ...(secret !== undefined && { secret }) });
    shown.sandbox.trigger('message.received', { from: '+12025550111', text: 'Hi' });
    const [first] = await hook.got(1);
    if (!first) throw new Error('nothing was delivered');
    const headers = Object.entries(first.headers).map(([name, value]) => `${name}: ${value}`);
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('button', { name: 'Check a signature' }).click();
    const dialog = page.getByRole('dialog', { name: 'Check a signature' });
    await dialog.getByRole('textbox', { name: 'Headers' }).fill(`POST / HTTP/1.1\n${headers.join('\n')}`);
    await dialog.getByRole('textbox', { name: 'Body' }).fill(first.body);
    const check = () => dialog.getByRole('button', { name: 'Check' }).click();
    const result = () => dialog.getByRole('status').innerText();
    return { dialog, check, result, body: first.body };
  }

  it.each([
    ['the secret of the sandbox', undefined],
    ['the own secret of a webhook', own],
  ])('accepts a delivery that is signed with %s', async (_, secret) => {
    const { check, result } = await openChecker(secret);
    await check();
    await expect.poll(result).toBe('Valid');
  });

  it('names the fault', async () => {
    const { dialog, check, result, body } = await openChecker();
    await dialog.getByRole('textbox', { name: 'Body' }).fill(`${body}\n`);
    await check();
    await expect
      .poll(result)
      .toBe('Not valid: the body was changed after it was signed: a line feed was added at the end');
    await dialog.getByRole('textbox', { name: 'Body' }).fill(body);
    await check();
    await expect.poll(result).toBe('Valid');
    await dialog.getByRole('textbox', { name: 'Secret' }).fill(own);
    await check();
    await expect.poll(result).toBe('Not valid: wrong secret or modified body');
    await dialog.getByRole('textbox', { name: 'Headers' }).fill('content-type: application/json');
    await check();
    await expect.poll(result).toBe('Not signed: it has no signature headers');
  });
});
