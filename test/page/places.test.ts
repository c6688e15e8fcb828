import { afterEach, describe, expect, it } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { firstSteps, noBrowser, rowsOn, show, storyOn, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`the places of the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();
  afterEach(() => shown.sandbox.setPlan({ name: 'enterprise', without: [] }));

  it('Data finds contacts, shows their fields, and leads to their phone', async () => {
    shown.sandbox.seed({ contacts: [{ phone: '+12025550188', name: 'Lise', attributes: { shoe: 'size 42' } }] });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('searchbox').fill('SIZE 42');
    const entries = page.getByRole('list', { name: 'contacts' }).getByRole('link');
    await expect.poll(() => entries.count()).toBe(1);
    expect(await page.getByRole('status').first().innerText()).toBe('1 contact');
    await entries.first().click();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText('"shoe": "size 42"').waitFor();
    await details.getByRole('button', { name: 'Phone' }).click();
    await page.getByRole('region', { name: 'Phone' }).getByRole('heading', { name: 'Lise' }).waitFor();
  });

  it('Data previews a template with its variables, and says if it cannot be sent', async () => {
    const page = await tabs.open(shown.link);
    await show(page, 'data/templates%2Forder_update');
    await page.reload();
    await page.locator('nav[aria-label=Data] [aria-current]', { hasText: 'Templates' }).waitFor();
    const details = page.getByRole('region', { name: 'Details' });
    const preview = details.getByRole('group', { name: 'Preview' });
    await preview.getByText('Hello {{name}}, your order {{order}}').waitFor();
    await details.getByRole('textbox', { name: 'order' }).fill('A-7');
    await expect.poll(() => preview.innerText()).toBe('Hello {{name}}, your order A-7 is on its way.');
    await page.getByRole('link', { name: 'regalo' }).click();
    await page.getByText('only an approved template can be sent').waitFor();
  });

  it('Data shows a campaign, which is one row once it was sent', async () => {
    shown.sandbox.seed({ campaigns: [{ name: 'Paged', template: 'welcome', status: 'SCHEDULED' }] });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Data' }).click();
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page.getByRole('link', { name: 'Paged' }).click();
    shown.sandbox.trigger('broadcast.completed', { campaign: 'Paged' });
    await page.getByRole('link', { name: 'Paged' }).getByText('COMPLETED').waitFor();
    await page.getByRole('region', { name: 'Details' }).getByText('welcome', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await rowsOn(page).filter({ hasText: 'broadcast.completed' }).getByText('5 messages of welcome').waitFor();
    await page.getByRole('region', { name: 'Phone' }).getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    await storyOn(page).getByRole('list', { name: 'Messages of the broadcast' }).getByText('Grace Hopper').click();
    await expect.poll(() => storyOn(page).innerText()).toContain('welcome to Grace Hopper');
  });

  it('Setup has the minute as a gauge, until the next request is answered 429', async () => {
    shown.sandbox.setPlan({ name: 'starter', without: [] });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Setup' }).click();
    await page.getByText('0 of 60, 60 left').waitFor();
    await shown.send('+12025550101', 'welcome');
    await page.getByText('1 of 60, 59 left').waitFor();
    for (let at = 1; at < 60; at++) await shown.send('+12025550101', 'welcome');
    await page.getByText('60 of 60, the next one is answered 429').waitFor();
    await expect(shown.send('+12025550101', 'welcome')).rejects.toThrow('is missing');
    await page.getByRole('button', { name: 'growth' }).click();
    await page.getByText('of 300,').waitFor();
  });

  it('Setup adds faults in words, which the next request meets', async () => {
    const page = await tabs.open(shown.link);
    await show(page, 'setup');
    await page.getByRole('button', { name: 'Next send → sent, then connection lost' }).click();
    const card = page.getByRole('group', { name: 'Fault', exact: true });
    await card.getByText('Next send → sent, then connection lost').waitFor();
    expect(shown.sandbox.faults.list()).toMatchObject([{ effect: { kind: 'reset' }, after: true, times: 1 }]);
    await expect(shown.send('+12025550101', 'welcome')).rejects.toThrow('fetch failed');
    await card.getByText('over, hit 1').waitFor();
    await card.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No faults').waitFor();
  });

  it('Setup shows the keys, masked', async () => {
    const page = await tabs.open(shown.link);
    await show(page, 'setup');
    const [first] = shown.sandbox.keys.list();
    const card = page.getByRole('group', { name: `sk_test_…${first?.text.slice(-4)}` });
    await card.getByText('full · active').waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain(first?.text);
  });

  it('the strip adds, shows and removes a webhook', async () => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(shown.link, { expected: /status of 400/ });
    await page.getByText('bizmsg webhooks listen --profile local').first().waitFor();
    await page.getByRole('button', { name: 'Add URL' }).click();
    const popover = page.getByRole('dialog', { name: 'Webhooks' });
    await popover.getByRole('textbox').fill('http://example.com/hooks');
    await popover.getByRole('button', { name: 'Add URL' }).click();
    await expect.poll(() => page.locator('.notice').innerText()).toContain('example.com');
    const hook = await receiver((response) => response.writeHead(500).end());
    await popover.getByRole('textbox').fill(hook.url);
    await popover.getByRole('button', { name: 'Add URL' }).click();
    await expect.poll(() => shown.sandbox.webhooks.list().length).toBe(1);
    await shown.sandbox.settled();
    shown.sandbox.trigger('order.paid');
    const strip = page.getByRole('button', { name: '/hooks' });
    await strip.getByText('0 of 1').waitFor();
    await strip.click();
    await popover.getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => shown.sandbox.webhooks.list()).toEqual([]);
  });

  it('the clock chip moves the clock; a frozen one is a strip with what is next', async () => {
    shown.sandbox.webhooks.add({ url: 'http://127.0.0.1:9/hooks' });
    shown.sandbox.trigger('order.paid');
    await shown.sandbox.settled();
    const page = await tabs.open(shown.link);
    const strip = page.getByRole('region', { name: 'Frozen clock' });
    await strip.getByText(/^Next: retry of order.paid in \d s$/).waitFor();
    await strip.getByRole('button', { name: 'Advance' }).click();
    await strip.getByText(/^Next: retry of order.paid in \d m$/).waitFor();
    const now = () => Date.parse(shown.sandbox.time.now().now);
    const before = now();
    await page.getByRole('button', { name: 'Clock frozen' }).click();
    const popover = page.getByRole('dialog', { name: 'Clock' });
    await popover.getByRole('button', { name: '+1 min' }).click();
    await expect.poll(() => now() - before).toBe(60_000);
    await popover.getByRole('button', { name: 'To next due' }).click();
    await rowsOn(page)
      .getByText(/^down · retry/)
      .waitFor();
    await strip.getByRole('button', { name: 'Real time' }).click();
    await expect.poll(() => shown.sandbox.time.now().frozen).toBe(false);
  });

  it('Send goes through the API, with a preview, shows why a message is rejected, and shows the message', async () => {
    const page = await tabs.open(shown.link, { expected: /status of 404/ });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a message' });
    await dialog.getByRole('combobox', { name: 'Template' }).selectOption('regalo');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => dialog.getByRole('alert').innerText()).toMatch(/^[^{}]*not approved/);
    await dialog.getByRole('combobox', { name: 'To' }).fill('+12025550177');
    await dialog.getByRole('combobox', { name: 'Template' }).selectOption('order_update');
    await dialog.getByRole('textbox', { name: 'name' }).fill('Ada');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await dialog.locator('input:invalid').count()).toBe(1);
    await dialog.getByRole('textbox', { name: 'order' }).fill('A-1');
    await dialog.getByRole('group', { name: 'Preview' }).getByText('Hello Ada, your order A-1').waitFor();
    await dialog.getByRole('button', { name: 'Send', exact: true }).dblclick();
    await storyOn(page).getByRole('heading', { name: 'Accepted' }).waitFor();
    expect(shown.sandbox.messages()).toMatchObject([{ to: '+12025550177', params: ['Ada', 'A-1'] }]);
  });

  it('Send says that a message may have been sent if the connection breaks', async () => {
    shown.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'reset' }, after: true });
    const page = await tabs.open(shown.link);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a message' });
    await dialog.getByRole('combobox', { name: 'Template' }).selectOption('welcome');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    // Chromium repeats a request whose connection was reset.
    await expect.poll(() => shown.sandbox.messages().length).toBeGreaterThan(0);
    await expect.poll(() => dialog.getByRole('alert').innerText()).toContain('may have been sent');
  });

  it.each([
    ['hopper', 'Tab', '%2B12025550111'],
    ['turing your code', 'Enter', 'msg_sandbox'],
    ['order_update', 'Enter', 'templates'],
    ['0102', 'ArrowDown', '%2B12025550102'],
  ])('Find anything finds %j', async (text, key, address) => {
    await shown.send('+12025550112', 'verification_code', ['turing your code']);
    const page = await tabs.open(shown.link);
    await rowsOn(page).first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: 'Find anything' }).fill(text);
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor();
    await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain(address);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('the menu has the theme, the shortcuts, and a clean start', async () => {
    await shown.send('+12025550101', 'welcome');
    // The story may ask for its message once more.
    const page = await tabs.open(shown.link, { expected: /status of 404/ });
    await rowsOn(page).first().waitFor();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark');
    expect(await page.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark');
    await page.getByText('Shortcuts').click();
    await page.getByText('Redeliver its event').waitFor();
    await page.getByText('Clear messages and logs').click();
    expect(shown.sandbox.messages()).toHaveLength(1);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await firstSteps(page).waitFor();
    expect(shown.sandbox.messages()).toEqual([]);
    await shown.send('+12025550101', 'verification_code', ['1']);
    await rowsOn(page).filter({ hasText: 'Your code is 1.' }).waitFor();
  });
});
