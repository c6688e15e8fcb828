import { afterEach, describe, expect, it } from 'vitest';
import { paths } from '../sandbox/calls.ts';
import { noBrowser, show, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`the limits on the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();
  afterEach(() => shown.sandbox.setPlan({ name: 'enterprise', without: [] }));

  it('fill up with each request, until the next one is answered 429', async () => {
    shown.sandbox.setPlan({ name: 'starter', without: [] });
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('0 of 60, 60 left').waitFor();
    await shown.send('+12025550101', 'welcome');
    await page.getByText('1 of 60, 59 left').waitFor();
    expect(await page.getByRole('meter', { name: 'Messages in' }).getAttribute('aria-valuenow')).toBe('1');
    await page.getByRole('button', { name: 'Make the next request the last one' }).click();
    await page.getByText('1 of 2, 1 left').waitFor();
    await shown.send('+12025550101', 'verification_code', ['1']);
    await page.getByText('2 of 2, the next one is answered 429').waitFor();
    await expect(shown.send('+12025550101', 'welcome')).rejects.toThrow('is missing');
    expect(shown.sandbox.requests().at(-1)?.status).toBe(429);
  });

  it('are set by the plan, or by own limits', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'growth' }).click();
    await page.getByText('of 300,').waitFor();
    await page.getByText('Other limits and endpoints').click();
    await page.getByRole('spinbutton', { name: 'Requests a minute' }).fill('7');
    await page.getByRole('checkbox', { name: 'GET campaigns' }).uncheck();
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('of 7,').waitFor();
    expect(shown.sandbox.plan()).toMatchObject({ name: 'growth', perMinute: 7, without: ['listCampaigns'] });
    await page.getByRole('button', { name: 'Use those of the plan' }).click();
    await page.getByText('of 300,').waitFor();
    expect(shown.sandbox.plan().without).toEqual([]);
  });

  it('have faults that the next request meets', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Settings' }).click();
    const form = page.getByRole('form', { name: 'New fault' });
    await form.getByRole('combobox', { name: 'Of' }).selectOption('GET templates');
    await form.getByRole('spinbutton', { name: 'Status' }).fill('503');
    await form.getByRole('spinbutton', { name: 'The next' }).fill('2');
    await form.getByRole('button', { name: 'Add fault' }).click();
    const card = page.getByRole('list', { name: 'Faults' }).getByRole('listitem');
    await card.getByText('The next 2 GET templates requests: answered 503').waitFor();
    const headers = { authorization: `Bearer ${shown.sandbox.keys.sandbox}` };
    expect((await fetch(`${shown.url}${paths.templates}`, { headers })).status).toBe(503);
    await card.getByText('The next GET templates request: answered 503').waitFor();
    await card.getByText('hit 1 of 1').waitFor();
    await card.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('No faults').waitFor();
    expect(shown.sandbox.faults.list()).toEqual([]);
  });

  it('make the next two sends fail with 500 after they were carried out', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Settings' }).click();
    const form = page.getByRole('form', { name: 'New fault' });
    await form.getByRole('spinbutton', { name: 'The next' }).fill('2');
    await form.getByRole('combobox', { name: 'Will be' }).selectOption('carried out, then answered with an error');
    await form.getByRole('button', { name: 'Add fault' }).click();
    await page.getByText('The next 2 sends: carried out, then answered 500').first().waitFor();
    expect(shown.sandbox.faults.list()).toMatchObject([
      { on: ['sendTemplate'], effect: { kind: 'status', status: 500 }, after: true, times: 2 },
    ]);
    await page.getByRole('button', { name: 'The next send: never answered' }).click();
    await expect.poll(() => shown.sandbox.faults.list()).toMatchObject([{}, { effect: { kind: 'hang' }, times: 1 }]);
  });

  it('immediately show what was clicked, while answers are slow and the page asks seldom', async () => {
    const page = await tabs.open(shown.link, { isApart: true });
    await page.clock.install();
    await page.reload();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('Requests in this minute').waitFor();
    // From now on, the time of the page stands still, except for a slow answer and the frames below.
    await page.clock.pauseAt(Date.now() + 5_000);
    await page.route('**/faults', (route) => page.clock.runFor(200).then(() => route.continue()));
    const cards = page.getByRole('list', { name: 'Faults' }).getByRole('listitem');
    const now = () => page.evaluate(() => Date.now());
    for (const count of [1, 2]) {
      const clicked = await now();
      await page.getByRole('button', { name: 'The next send: never answered' }).click();
      await expect.poll(() => page.clock.runFor(16).then(() => cards.count())).toBe(count);
      expect((await now()) - clicked).toBeLessThan(4_000);
    }
  });

  it.each([
    [1440, 'beside'],
    [1024, 'below'],
  ])('%i pixels wide, have the faults %s the plan', async (width, where) => {
    const page = await tabs.open(shown.link, { viewport: { width, height: 900 } });
    await page.getByRole('link', { name: 'Settings' }).click();
    const topOf = async (name: string) => (await page.getByRole('heading', { name }).boundingBox())?.y ?? 0;
    const below = (await topOf('Faults')) - (await topOf('Plan and limits'));
    expect(below > 50 ? 'below' : 'beside').toBe(where);
  });

  it('have faults on events, with other effects', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Settings' }).click();
    const form = page.getByRole('form', { name: 'New fault' });
    await form.getByRole('spinbutton', { name: 'The next' }).fill('');
    await form.getByRole('combobox', { name: 'Of' }).selectOption('message.read');
    await form.getByRole('combobox', { name: 'Will be' }).selectOption('delivered late');
    await form.getByRole('spinbutton', { name: 'Seconds late' }).fill('2.5');
    await form.getByRole('button', { name: 'Add fault' }).click();
    await page.getByText('All message.read events: delivered 2.5 s late').first().waitFor();
    expect(shown.sandbox.faults.list()).toMatchObject([{ on: ['message.read'], effect: { kind: 'delay', ms: 2_500 } }]);
  });

  it('have keys, each with its audit log', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('link', { name: 'Keys and audit log' }).click();
    await page.getByRole('combobox', { name: 'Scope' }).selectOption('read-only');
    await page.getByRole('button', { name: 'Create key' }).click();
    const newest = () => shown.sandbox.keys.list().at(-1);
    await expect.poll(newest).toMatchObject({ scope: 'read-only', mode: 'sandbox' });
    await page.getByText('No requests with this key yet').waitFor();
    const key = newest();
    const headers = { authorization: `Bearer ${key?.text}`, 'content-type': 'application/json' };
    await fetch(shown.url + paths.send, { method: 'POST', headers, body: '{}' });
    const log = page.getByRole('table', { name: 'Audit log' });
    await log.getByText('does not allow this endpoint').waitFor();
    expect(await log.getByRole('row').nth(1).innerText()).toContain('POST messages/send-template');
    await page.getByRole('table', { name: 'Keys' }).getByRole('button').first().click();
    await log.getByText('does not allow this endpoint').waitFor({ state: 'detached' });
  });

  it('ask before a key is revoked', async () => {
    const page = await tabs.open(shown.link);
    await show(page, 'limits/keys');
    const revoke = page.getByRole('button', { name: 'Revoke' }).last();
    await revoke.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('cannot be undone').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const states = () => shown.sandbox.keys.list().map(({ state }) => state);
    expect(states()).not.toContain('revoked');
    await revoke.click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(states).toContain('revoked');
  });

  it('ask before the live keys become active', async () => {
    const page = await tabs.open(shown.link);
    await show(page, 'limits/keys');
    await page.getByRole('button', { name: 'Go live' }).click();
    const dialog = page.getByRole('dialog', { name: 'Go live?' });
    await dialog.getByText('cannot be undone').waitFor();
    const states = () => shown.sandbox.keys.list().map(({ state }) => state);
    expect(states()).toContain('inactive');
    await dialog.getByRole('button', { name: 'Go live' }).click();
    await expect.poll(states).not.toContain('inactive');
  });
});
