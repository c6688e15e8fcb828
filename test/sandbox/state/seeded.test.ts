import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../../src/sandbox/time/clock.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { openFileJournal } from '../../../src/sandbox/state/file-journal.ts';
import { bearing, order, paths, start } from '../calls.ts';
import { receiver } from '../receiver.ts';

it('writes the same journal for the same seed, except for keys, the time of day and the data id', async () => {
  const { url } = await receiver((response, { type }) => response.writeHead(type === 'message.read' ? 500 : 200).end());
  const [one, other, another] = [await journal('a', url), await journal('a', url), await journal('b', url)];
  expect(one.split('\n').length).toBeGreaterThan(40);
  expect(other).toBe(one);
  expect(another).not.toBe(one);
});

/** Returns the journal of a sandbox with this seed after a fixed sequence of actions. */
async function journal(seed: string, url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-seeded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const journal = openFileJournal(folder, { later: () => () => {} });
  const sandbox = createSandbox({ seed, journal, clock: manualClock(start), plan: 'growth' });
  const headers = bearing(sandbox.keys.sandbox);
  const call = (method: string, target: string, body: object | string) =>
    sandbox.answer({ method, target, headers, body: JSON.stringify(body) });
  sandbox.webhooks.add({ url });
  sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 500 }, times: 4 });
  for (let round = 0; round < 10; round++) {
    await call('POST', paths.send, { ...order, to: `+1202555010${round}` });
    await call('POST', paths.contacts, { phone: `+1202555012${round}`, name: 'Ada' });
    await sandbox.settled();
    await sandbox.time.advance(700);
  }
  sandbox.keys.create('read-only');
  await sandbox.time.advance('next-day');
  sandbox.close();
  await journal.close();
  return masked(readFileSync(join(folder, 'journal.ndjson'), 'utf8'));
}

/** Removes keys, the data id, real times and values derived from them. */
function masked(text: string): string {
  return text
    .replace(/^\[\d+,/gm, '[')
    .replace(/(_local-|whsec_)[\w+/=]+/g, '$1')
    .replace(/"dataId":"[^"]*"/g, '"dataId":""')
    .replace(/"took":[\d.]+/g, '"took":0')
    .replace(/"webhook-(timestamp|signature)":"[^"]*"/g, '"webhook-$1":""')
    .replace(/"date":"[^"]*"/g, '"date":""');
}
