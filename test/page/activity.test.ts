import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { receiver } from '../sandbox/receiver.ts';
import { firstSteps, noBrowser, rowsOn, storyOn, useBrowser, useSandbox } from './browser.ts';

describe.skipIf(noBrowser)(`the activity on the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  const tab = (page: Page, name: string) => page.getByRole('group', { name: 'Show' }).getByRole('button', { name });
  const verdictOn = (page: Page) => storyOn(page).getByRole('group', { name: 'Verdict' });

  /** A handler that answers with a chosen status. */
  async function handler(status = 200) {
    const state = { status, body: '{"error":"database is locked"}' };
    const hook = await receiver((response) => response.writeHead(state.status).end(state.body));
    shown.sandbox.webhooks.add({ url: hook.url });
    return Object.assign(state, { received: hook.received });
  }

  it('begins with the first steps, and one click sends a message', async () => {
    const page = await tabs.open(shown.link);
    await firstSteps(page).waitFor();
    await page.getByText('bizmsg send-template +12025550101 welcome --profile local').waitFor();
    await page.getByText(`BIZMSG_API_KEY=${shown.sandbox.keys.sandbox}`).waitFor();
    expect(page.url()).toBe(`${shown.url}/__sandbox/`);
    await page.getByRole('button', { name: 'Send one now' }).click();
    await rowsOn(page).filter({ hasText: 'Welcome!' }).waitFor();
    expect(await firstSteps(page).count()).toBe(0);
  });

  it('shows without a click whether a message arrived, what the handler got and what it answered', async () => {
    await handler();
    const page = await tabs.open(shown.link);
    await firstSteps(page).waitFor();
    const id = await shown.send('+12025550111', 'order_update', ['Ada', 'A-1']);
    await shown.sandbox.time.advance(400);
    const row = rowsOn(page).filter({ hasText: 'Hello Ada, your order A-1 is on its way.' });
    await row.getByText('Grace Hopper').waitFor();
    await row.getByText('200', { exact: true }).waitFor();
    await verdictOn(page).getByText('Your handler accepted it', { exact: true }).waitFor();
    await storyOn(page).getByText('What it got: payload · headers · signature valid').waitFor();
    const payload = { type: 'message.delivered', data: { message_id: id } };
    expect(JSON.parse(await storyOn(page).locator('pre.json').innerText())).toMatchObject(payload);
    await storyOn(page).getByText('webhook-signature: v1,').waitFor();
    await page.getByRole('region', { name: 'Phone' }).getByText('Hello Ada, your order A-1').waitFor();
  });

  it('shows by one click what the handler answered, and tries it again by one more', async () => {
    const hook = await handler(500);
    await shown.send('+12025550111', 'welcome');
    await shown.sandbox.time.advance(400);
    await shown.send('+12025550112', 'welcome');
    const page = await tabs.open(shown.link);
    const row = rowsOn(page).filter({ hasText: 'Grace Hopper' });
    await row.getByText(/^500 · retry \d s$/).waitFor();
    await row.click();
    const verdict = verdictOn(page);
    await verdict.getByText('Your handler answered 500: database is locked').waitFor();
    await verdict.getByText(/^message.delivered. Next try in \d s.$/).waitFor();
    hook.status = 204;
    const before = shown.sandbox.time.now().now;
    await verdict.getByRole('button', { name: 'Retry now' }).click();
    await verdict.getByText('Your handler accepted it on attempt 2: 500, 204').waitFor();
    await row.getByText('204', { exact: true }).waitFor();
    expect(shown.sandbox.time.now().now).toBe(before);
  });

  it('lists by one click what fails, of everything, and tries all again by one more', async () => {
    const hook = await handler(500);
    for (const contact of ['+12025550111', '+12025550112', '+12025550113'])
      shown.sandbox.trigger('order.paid', { contact });
    await shown.sandbox.settled();
    hook.status = 200;
    for (let at = 0; at < 100; at++) shown.sandbox.trigger('flow.completed');
    await shown.sandbox.settled();
    const failing = () => shown.sandbox.deliveries({ states: ['waiting', 'dead'] }).length;
    expect(failing()).toBe(3);
    const page = await tabs.open(shown.link);
    await tab(page, 'Problems 3').click();
    await expect.poll(() => rowsOn(page).count()).toBe(3);
    await expect.poll(() => page.title()).toBe('(3) Activity · SANDBOX · bizmsg');
    await page.getByText('20 of 20').waitFor();
    const before = shown.sandbox.time.now().now;
    await page.getByRole('button', { name: 'Retry 3' }).click();
    await expect.poll(failing).toBe(0);
    await tab(page, 'Problems 0').waitFor();
    expect(shown.sandbox.time.now().now).toBe(before);
  });

  it('sends a message again by one click, and by a key', async () => {
    await shown.send('+12025550111', 'order_update', ['Ada', 'A-1']);
    const page = await tabs.open(shown.link);
    await storyOn(page).getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => rowsOn(page).count()).toBe(2);
    await rowsOn(page).and(page.locator('[aria-selected="true"]')).waitFor();
    await page.getByText('sent twice').waitFor();
    await page.keyboard.press('s');
    await expect.poll(() => shown.sandbox.messages().length).toBe(3);
    expect(new Set(shown.sandbox.messages().map(({ to, params }) => [to, ...params].join())).size).toBe(1);
  });

  it('has what was rejected, failed or made to fail under Problems, and its reason in the row', async () => {
    const page = await tabs.open(shown.link, { expected: /status of 4/ });
    await shown.send('+12025550102', 'welcome');
    await shown.sandbox.time.advance(400);
    await shown.send('+12025550111', 'nothing').catch(() => {});
    shown.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 500 }, after: true, times: 1 });
    await shown.send('+12025550113', 'welcome').catch(() => {});
    await tab(page, 'Problems 3').click();
    await rowsOn(page).filter({ hasText: 'this test number always fails' }).waitFor();
    await rowsOn(page).filter({ hasText: 'send-template' }).getByText('404', { exact: true }).waitFor();
    await rowsOn(page).filter({ hasText: 'Katherine' }).getByText('500', { exact: true }).waitFor();
    await rowsOn(page).filter({ hasText: 'send-template' }).click();
    await expect.poll(() => verdictOn(page).innerText()).toMatch(/^The sandbox answered 404: .*nothing/);
  });

  it('counts retries and replies, and filters', async () => {
    await handler(500);
    shown.sandbox.trigger('message.received', { from: '+12025550111', text: 'Where is it?' });
    await shown.sandbox.settled();
    await shown.send('+12025550112', 'welcome');
    const page = await tabs.open(shown.link);
    await tab(page, 'Retrying 1').click();
    await rowsOn(page).filter({ hasText: 'Where is it?' }).waitFor();
    await tab(page, 'Replies 1').click();
    await expect.poll(() => rowsOn(page).count()).toBe(1);
    await tab(page, 'All 2').click();
    await page.keyboard.press('/');
    await page.keyboard.type('turing');
    await rowsOn(page).filter({ hasText: 'Where is it?' }).waitFor({ state: 'detached' });
    await rowsOn(page).filter({ hasText: 'Welcome!' }).waitFor();
    await page.keyboard.press('Escape');
    await rowsOn(page).filter({ hasText: 'Where is it?' }).waitFor();
  });

  it('lets new rows wait while someone reads', async () => {
    await shown.send('+12025550111', 'welcome');
    const page = await tabs.open(shown.link);
    await rowsOn(page).first().hover();
    await shown.send('+12025550112', 'welcome');
    await shown.send('+12025550113', 'welcome');
    const pill = page.getByRole('button', { name: '2 new' });
    await pill.waitFor();
    expect(await rowsOn(page).allInnerTexts()).toEqual([expect.stringContaining('Grace')]);
    await page.getByRole('status').filter({ hasText: '2 new' }).waitFor({ state: 'attached' });
    await pill.click();
    await expect.poll(() => rowsOn(page).first().innerText()).toContain('Katherine');
    await shown.send('+12025550114', 'welcome');
    await page.mouse.move(0, 0);
    await expect.poll(() => rowsOn(page).first().innerText()).toContain('Edsger');
  });

  it('is one tab stop, and works by keyboard', async () => {
    for (const to of ['+12025550111', '+12025550112', '+12025550113']) await shown.send(to, 'welcome');
    const page = await tabs.open(shown.link);
    const chosen = () => page.locator('[role=option][aria-selected=true]').innerText();
    await expect.poll(chosen).toContain('Katherine');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(chosen).toContain('Grace');
    await page.keyboard.press('k');
    await expect.poll(chosen).toContain('Alan');
    await page.getByRole('listbox').press('ArrowDown');
    await expect.poll(chosen).toContain('Grace');
    const active = page.locator('[role=listbox][aria-activedescendant]');
    const id = await active.getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${id}"]`).innerText()).toContain('Grace');
    expect(await page.locator('[role=listbox] [tabindex], [role=listbox] a, [role=listbox] button').count()).toBe(0);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('story');
    await page.keyboard.press('r');
    await page.keyboard.type('Thanks');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Reply' }).getByText('Thanks').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(chosen).toContain('Thanks');
  });

  it('opens a story over the list in a narrow window, with a way back', async () => {
    await shown.send('+12025550111', 'welcome');
    const page = await tabs.open(shown.link, { viewport: { width: 375, height: 812 } });
    const row = rowsOn(page).filter({ hasText: 'Grace' });
    await row.click();
    await storyOn(page).getByText('POST send-template → 200').waitFor();
    expect(await row.isVisible()).toBe(false);
    await page.goBack();
    await row.waitFor();
    await row.click();
    await page.getByRole('button', { name: 'Phone' }).click();
    await page.getByRole('article', { name: 'welcome' }).waitFor();
    await page.getByRole('button', { name: 'Story' }).click();
    await page.getByRole('button', { name: 'Back' }).click();
    await row.waitFor();
    expect(await storyOn(page).isVisible()).toBe(false);
  });

  it('keeps right-to-left names at the left edge', async () => {
    shown.sandbox.seed({ contacts: [{ phone: '+12025550155', name: 'محمد الأحمد' }] });
    for (const to of ['+12025550155', '+12025550111']) await shown.send(to, 'welcome');
    const page = await tabs.open(shown.link);
    await rowsOn(page).getByText('محمد الأحمد').waitFor();
    const lefts = await page.locator('.who').evaluateAll((names) =>
      names.map((name) => {
        const range = name.ownerDocument.createRange();
        range.selectNodeContents(name);
        return Math.round(range.getBoundingClientRect().left);
      }),
    );
    expect(new Set(lefts).size).toBe(1);
  });

  it('keeps few of many rows in the page, and loads the older ones on scrolling', async () => {
    const first = await shown.send('+12025550111', 'welcome');
    for (let at = 0; at < 1_200; at++) await shown.sandbox.sendAgain(first);
    const page = await tabs.open(shown.link);
    const list = page.getByRole('listbox');
    await rowsOn(page).first().waitFor();
    expect(await rowsOn(page).count()).toBeLessThan(60);
    const last = async () => {
      await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
      return rowsOn(page).last().getAttribute('id');
    };
    await expect.poll(last).toContain(first);
    expect(await rowsOn(page).count()).toBeLessThan(60);
  });
});
