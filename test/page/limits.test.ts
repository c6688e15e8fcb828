import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`the limits on the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  it('fill up with each request, until the next one is answered 429', async () => {
    shown.sandbox.setPlan({ name: 'starter', without: [] });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Limits and faults' }).click();
    await page.getByText('0 of 60, 60 left').waitFor();
    await shown.send('+12025550101', 'welcome');
    await page.getByText('1 of 60, 59 left').waitFor();
    expect(await page.getByRole('meter', { name: 'Messages in' }).getAttribute('value')).toBe('1');
    await page.getByRole('button', { name: 'Make the next request the last one' }).click();
    await page.getByText('1 of 2, 1 left').waitFor();
    await shown.send('+12025550101', 'verification_code', ['1']);
    await page.getByText('2 of 2, the next one is answered 429').waitFor();
    await expect(shown.send('+12025550101', 'welcome')).rejects.toThrow('is missing');
    expect(shown.sandbox.requests(0).at(-1)?.status).toBe(429);
  });

  it('ask before a key is revoked', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Limits and faults' }).click();
    const revoke = page.getByRole('button', { name: 'Revoke' }).first();
    const states = () => shown.sandbox.keys.list().map(({ state }) => state);
    page.once('dialog', (dialog) => void dialog.dismiss());
    await revoke.click();
    expect(states()).not.toContain('revoked');
    page.once('dialog', (dialog) => void dialog.accept());
    await revoke.click();
    await expect.poll(states).toContain('revoked');
  });
});
