import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { operations } from '../../src/sandbox/control/operations.ts';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { emptyState, reduce } from '../../src/page/state.ts';
import { isShown, timelineOf } from '../../src/page/timeline.ts';
import { calls, paths } from '../sandbox/calls.ts';
import { receiver } from '../sandbox/receiver.ts';
import { noBrowser, useBrowser, useSandbox } from './browser.ts';

/** The timeline of a sandbox with a delivered message, a failed one, a rejected request and a reply. */
async function rows() {
  const { sandbox, post } = calls({ clock: manualClock() });
  await post(paths.send, { to: '+12025550101', template: 'order_update', params: ['Ada', 'A-1'] });
  await post(paths.send, { to: '+12025550102', template: 'welcome', params: [] });
  await sandbox.time.advance(400);
  await post(paths.send, { to: '+12025550101', template: 'nothing', params: [] });
  sandbox.trigger('message.received', { from: '+12025550111', text: 'Hi' });
  const { records } = sandbox.openFeed(null, () => {}).take();
  const all = timelineOf(records.reduce(reduce, emptyState), operations.deliveries.call({ sandbox }, {}));
  return all;
}

describe('the timeline', () => {
  it('has a row for each request, with the events that followed, and for each event without one', async () => {
    const found = (await rows()).map(({ what, status, steps, isPending }) => [
      what,
      status,
      steps.map(({ event }) => event.type),
      isPending,
    ]);
    expect(found).toHaveLength(4);
    expect(found).toEqual(
      expect.arrayContaining([
        ['POST messages/send-template', 200, ['message.delivered'], true],
        ['POST messages/send-template', 200, ['message.failed'], false],
        ['POST messages/send-template', 404, [], false],
        ['message.received', undefined, ['message.received'], false],
      ]),
    );
  });

  it.each([
    ['', 4],
    ['to:+12025550101', 1],
    ['to:+1202555011', 1],
    ['type:message.failed', 1],
    ['type:request', 3],
    ['status:404', 1],
    ['status:failed', 1],
    ['status:queued', 3],
    ['is:failed', 2],
    ['is:waiting', 1],
    ['order a-1', 1],
    ['status:200 type:message.delivered', 1],
    ['nothing like this', 0],
  ])('with the filter %j has %i rows', async (filter, count) => {
    expect((await rows()).filter((row) => isShown(row, filter))).toHaveLength(count);
  });

  it('has one row for a broadcast, with all its messages and events', async () => {
    const { sandbox, post } = calls({ clock: manualClock() });
    await post(paths.send, { to: '+12025550101', template: 'welcome', params: [] });
    const phones = ['+12025550102', '+12025550166', '+12025550177'];
    sandbox.seed({ contacts: phones.map((phone) => ({ phone, tags: ['may'] })) });
    sandbox.trigger('broadcast.completed', { name: 'May', template: 'welcome', tag: 'may' });
    await sandbox.time.advance(10_000);
    const { records } = sandbox.openFeed(null, () => {}).take();
    const all = timelineOf(records.reduce(reduce, emptyState), []);
    const broadcast = all.find(({ what }) => what === 'broadcast');
    expect(broadcast).toMatchObject({ note: '3 messages of welcome', isPending: false });
    expect(broadcast?.broadcast?.map(({ to, status }) => [to, status])).toEqual([
      ['+12025550102', 'failed'],
      ['+12025550166', 'read'],
      ['+12025550177', 'read'],
    ]);
    // Two receipts of each message but one, and the end of the broadcast.
    expect(broadcast?.steps).toHaveLength(6);
    expect(all.filter(({ message }) => message)).toHaveLength(1);
    expect(all.filter((row) => isShown(row, 'to:+12025550177'))).toEqual([broadcast]);
    sandbox.close();
  });

  it('is empty for an empty sandbox', () => {
    const sandbox = createSandbox();
    const { records } = sandbox.openFeed(null, () => {}).take();
    expect(timelineOf(records.reduce(reduce, emptyState), [])).toEqual([]);
    sandbox.close();
  });
});

describe.skipIf(noBrowser)(`the other screens (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();
  const shown = useSandbox();

  it('show the bytes of an attempt, and redeliver after a 500', async () => {
    let status = 500;
    const hook = await receiver((response) => response.writeHead(status).end('{"problem":"none"}'));
    shown.sandbox.webhooks.add({ url: hook.url });
    const page = await tabs.open(shown.link);
    shown.sandbox.trigger('message.received', { from: '+12025550111', text: 'Hi' });
    await page.getByRole('link', { name: 'Events' }).click();
    const row = page.getByRole('row').filter({ hasText: 'message.received' });
    await row.getByText('500 · retry').waitFor();
    await row.getByRole('button').click();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByRole('button', { name: /^POST .*500 in/ }).click();
    await details.getByText('{"problem":"none"}').waitFor();
    await details.getByText('Request', { exact: true }).click();
    await details.getByText('webhook-signature: v1,').waitFor();
    status = 200;
    await details.getByRole('button', { name: 'Redeliver' }).click();
    await details.getByText(/^retry 1: 200 in/).waitFor();
    await expect.poll(() => row.innerText()).toContain('200');
  });

  it('filter by chips, which the search field shows as words', async () => {
    const page = await tabs.open(shown.link);
    await shown.send('+12025550101', 'welcome');
    await shown.send('+12025550102', 'verification_code', ['1']);
    await shown.sandbox.time.advance(400);
    await page.getByRole('link', { name: 'Events' }).click();
    const rows = page.getByRole('table', { name: 'Timeline' }).getByRole('row');
    await rows.filter({ hasText: 'welcome' }).waitFor();
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await rows.filter({ hasText: 'welcome' }).waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'verification_code' }).getByRole('button').click();
    await page.getByRole('button', { name: 'Only +12025550102' }).click();
    expect(await page.getByRole('searchbox', { name: 'Filter' }).inputValue()).toBe('is:failed to:+12025550102');
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    expect(await page.getByRole('searchbox', { name: 'Filter' }).inputValue()).toBe('to:+12025550102');
    await page.getByRole('button', { name: 'Only +12025550102' }).click();
  });

  it('show how the last deliveries of a webhook went', async () => {
    let status = 200;
    const hook = await receiver((response) => response.writeHead(status).end());
    shown.sandbox.webhooks.add({ url: hook.url });
    for (status of [200, 500, 200]) {
      shown.sandbox.trigger('message.received', { from: '+12025550111', text: 'Hi' });
      await shown.sandbox.settled();
    }
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    const row = page.getByRole('table', { name: 'Webhooks' }).getByRole('row').nth(1);
    await expect.poll(() => row.innerText()).toContain('2 of 3 successful');
    await page.getByRole('link', { name: /^Webhooks a delivery failed/ }).waitFor();
  });

  it('show which receipts are due, and when', async () => {
    const page = await tabs.open(shown.link);
    await shown.send('+12025550103', 'welcome');
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByRole('row').filter({ hasText: 'welcome' }).getByRole('button').click();
    const details = page.getByRole('region', { name: 'Details' });
    const [delivered, read] = ['Delivered', 'Read'].map((hasText) =>
      details.getByRole('listitem').filter({ has: page.getByText(hasText, { exact: true }) }),
    );
    await read?.getByText(/^due 00:00:0\d · in \d s$/).waitFor();
    await delivered?.getByText('due 00:00:05 · in 5 s').waitFor();
    await page.getByRole('button', { name: '+5 s' }).click();
    await expect.poll(() => delivered?.innerText()).toMatch(/^Delivered\s+00:00:05$/m);
  });

  it('run a schedule of retries by advancing to what is due next', async () => {
    const hook = await receiver((response) => response.writeHead(503).end());
    shown.sandbox.webhooks.add({ url: hook.url });
    const page = await tabs.open(shown.link);
    shown.sandbox.trigger('flow.completed');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1);
    for (const attempts of ['1', '2', '3']) {
      await row.getByRole('cell', { name: attempts, exact: true }).waitFor();
      await page.getByRole('button', { name: 'To next due' }).click();
    }
    await row.getByRole('cell', { name: '4', exact: true }).waitFor();
    expect(hook.received).toHaveLength(4);
  });

  it('add and remove a webhook', async () => {
    const page = await tabs.open(shown.link);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('textbox', { name: 'URL of a new webhook' }).fill('http://127.0.0.1:9/hooks');
    await page.getByRole('button', { name: 'Add' }).click();
    const row = page.getByRole('row').filter({ hasText: 'http://127.0.0.1:9/hooks' });
    await row.waitFor();
    expect(shown.sandbox.webhooks.list()).toMatchObject([{ url: 'http://127.0.0.1:9/hooks' }]);
    await row.getByRole('button', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove this webhook?' });
    await dialog.getByText('http://127.0.0.1:9/hooks').waitFor();
    expect(shown.sandbox.webhooks.list()).toHaveLength(1);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(shown.sandbox.webhooks.list()).toEqual([]);
  });

  it('say why the sandbox refuses', async () => {
    const page = await tabs.open(shown.link, { expected: /status of 400/ });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('textbox', { name: 'URL of a new webhook' }).fill('http://example.com/hooks');
    await page.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => page.getByRole('status').innerText()).toContain('example.com');
  });
});
