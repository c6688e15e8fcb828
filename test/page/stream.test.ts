import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpRequest } from '../../src/base/http-request.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import type { FeedRecord } from '../../src/sandbox/control/feed.ts';
import { newHome } from '../support/fake-service.ts';
import { firstSteps, noBrowser, rowsOn, startApart, useBrowser, useSandbox } from './browser.ts';

const shown = useSandbox();

/** Opens the stream and returns a function that reads its next records. */
async function open(after = '') {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const headers = { 'x-sandbox-token': shown.token };
  const response = await fetch(`${shown.url}/__sandbox/stream?after=${encodeURIComponent(after)}`, {
    headers,
    signal: controller.signal,
  });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  if (!response.body) throw new Error('the stream has no body');
  const lines = createInterface({ input: Readable.fromWeb(response.body) })[Symbol.asyncIterator]();
  return {
    close: () => controller.abort(),
    async next(): Promise<{ readonly cursor: string; readonly records: readonly FeedRecord[] }> {
      return JSON.parse((await lines.next()).value ?? '');
    },
  };
}

/** Of the logs, without what is sent as a whole. */
function kinds(records: readonly FeedRecord[]): readonly string[] {
  return records.map(({ kind }) => kind).filter((kind) => !['due', 'changed'].includes(kind));
}

describe('the stream', () => {
  it('continues after a cursor, without gap or repetition', async () => {
    await shown.send('+12025550101', 'welcome');
    const stream = await open();
    const { cursor } = await stream.next();
    stream.close();
    const sent = await shown.send('+12025550102', 'welcome');
    const { records } = await (await open(cursor)).next();
    expect(kinds(records)).toEqual(['messages', 'requests']);
    expect(records.flatMap((record) => (record.kind === 'messages' ? record.rows : []))).toMatchObject([{ id: sent }]);
  });

  it.each(['nonsense', '0.0.0.other-data', '9.9.9.', '1e9.0.0.x'])(
    'starts over for a cursor that is not of this data: %j',
    async (cursor) => {
      expect(kinds((await (await open(cursor)).next()).records)[0]).toBe('reset');
    },
  );

  it('starts over after a reset of the sandbox', async () => {
    await shown.send('+12025550101', 'welcome');
    const stream = await open();
    const { cursor } = await stream.next();
    shown.sandbox.reset('all');
    expect(kinds((await stream.next()).records)).toEqual(['reset']);
    expect(kinds((await (await open(cursor)).next()).records)).toEqual(['reset']);
  });

  it('starts over with the newest 500 messages for a page that is more than 5,000 behind', async () => {
    const stream = await open();
    const { cursor } = await stream.next();
    stream.close();
    const phones = Array.from({ length: 5_001 }, (_, at) => ({ phone: `+1202${String(5_600_000 + at)}` }));
    shown.sandbox.seed({ contacts: phones });
    shown.sandbox.trigger('broadcast.completed', { name: 'Large', template: 'welcome' });
    const { records } = await (await open(cursor)).next();
    expect(kinds(records)[0]).toBe('reset');
    const rows = records.flatMap((record) => (record.kind === 'messages' ? record.rows : []));
    expect([rows.length, rows.at(-1)?.to]).toEqual([500, phones.at(-1)?.phone]);
    const from = records.find((record) => record.kind === 'reset')?.from.messages ?? 0;
    const older = shown.sandbox.older('messages', from, 2);
    expect(older.rows).toMatchObject(phones.slice(-502, -500).map(({ phone: to }) => ({ to })));
  });
});

describe.skipIf(noBrowser)(`the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();

  it('continues after the sandbox was killed and started again', async () => {
    const home = newHome();
    const { url, run, link, kill } = await startApart(home);
    const { port } = new URL(url);
    const page = await tabs.open(await link());
    const key = JSON.parse(await run('sandbox', 'env', '--url', url, '-o', 'json')).BIZMSG_API_KEY;
    const send = (template: string, ...params: string[]) =>
      httpRequest(url + endpoints.sendTemplate.path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: '+12025550101', template, params }),
      });
    await firstSteps(page).waitFor();
    expect(await send('welcome')).toMatchObject({ status: 200 });
    await rowsOn(page).filter({ hasText: 'Welcome!' }).waitFor();
    const state = join(home, '.local/state/bizmsg/sandbox/state.json');
    await expect.poll(() => readFileSync(state, 'utf8')).toContain('"template":"welcome","params"');

    await kill();
    await page.getByRole('alert').getByText('This sandbox has ended').waitFor();
    await page.getByRole('alert').getByText(`bizmsg sandbox start --background --port ${port}`).waitFor();
    await startApart(home, port);
    await page.getByRole('alert').getByText('This link is not valid any more').waitFor();
    await page.goto(await link());
    await page.getByRole('alert').getByText('This link is not valid').waitFor({ state: 'detached' });
    await send('verification_code', '4711');
    await rowsOn(page).filter({ hasText: 'Your code is 4711.' }).waitFor();
    expect(await rowsOn(page).filter({ hasText: 'Welcome!' }).count()).toBe(1);
  });

  it('pauses the stream while it is hidden, and then catches up', async () => {
    const page = await tabs.open(shown.link);
    await firstSteps(page).waitFor();
    const setHidden = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'));`,
      );
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/stream'));
    await setHidden(true);
    await closed;
    await shown.send('+12025550101', 'welcome');
    expect(await rowsOn(page).count()).toBe(0);
    await setHidden(false);
    await rowsOn(page).filter({ hasText: 'Welcome!' }).waitFor();
  });
});
