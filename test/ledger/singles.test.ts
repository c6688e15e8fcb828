import { expect, it } from 'vitest';
import { checkLedger } from '../../src/ledger/check.ts';
import type { Settlement, SingleTerms } from '../../src/ledger/ledger.ts';
import { alive } from '../support/cli.ts';
import { host } from './drivers.ts';
import { openByDigest } from './opened.ts';
import { account, message, temporaryFolder } from './rig.ts';

const single: SingleTerms = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } };
const run = 'singles live profile:acme';

it.each<[Settlement, string]>([
  ['done', 'elsewhere'],
  ['unsure', 'unsure'],
  ['failed', 'yours'],
  ['release', 'yours'],
])('the outcome of a single message is known to the next process: %s', async (outcome, verdict) => {
  const folder = temporaryFolder();
  await send(folder, 'ada:1', 'done');
  await send(folder, 'bob:1', outcome);
  expect(await claim(folder, 'bob:1')).toMatchObject({ verdict });
  expect(await claim(folder, 'ada:1')).toMatchObject({ verdict: 'elsewhere' });
  await checkLedger({ stateFolder: folder, host: { ...host, pid: process.pid, kill: alive } });
});

it('a single message of a killed process is unsure', async () => {
  const folder = temporaryFolder();
  await (await openByDigest(folder, { host: { pid: 2 ** 22 + 1 } })).claim([message('bob:1')], single);
  expect(await claim(folder, 'bob:1')).toMatchObject({ verdict: 'unsure' });
});

async function send(folder: string, text: string, outcome: Settlement): Promise<void> {
  const ledger = await openByDigest(folder);
  const row = message(text);
  expect(await ledger.claim([row], single)).toEqual([{ verdict: 'yours' }]);
  await ledger.close([{ run, row, outcome }]);
}

async function claim(folder: string, text: string) {
  const ledger = await openByDigest(folder);
  const [verdict] = await ledger.claim([message(text)], single);
  await ledger.close();
  return verdict;
}
