import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/ledger/file/check.ts';
import type { Settlement, SingleTerms } from '../../src/ledger/ledger.ts';
import { account, message, openLedger, temporaryFolder } from './rig.ts';

const single: SingleTerms = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } };
const run = 'singles live profile:acme';

describe('the lines of a single message', () => {
  it.each<[Settlement, string]>([
    ['done', 'elsewhere'],
    ['unsure', 'unsure'],
    ['failed', 'yours'],
    ['release', 'yours'],
  ])('are two, and the next process reads them: %s', async (outcome, verdict) => {
    const folder = temporaryFolder();
    await send(folder, 'ada:1', 'done');
    const before = linesIn(folder).length;
    await send(folder, 'bob:1', outcome);
    expect(linesIn(folder).slice(before)).toEqual([
      expect.stringContaining('"type":"claim"'),
      expect.stringContaining('"type":"settled"'),
    ]);
    expect(await look(folder, 'bob:1')).toMatchObject({ verdict });
    expect(await look(folder, 'ada:1')).toMatchObject({ verdict: 'elsewhere' });
    expect(() => checkLedger(folder)).not.toThrow();
  });

  it('is one after a crash, and the message is unsure', async () => {
    const folder = temporaryFolder();
    await send(folder, 'ada:1', 'done');
    const before = linesIn(folder).length;
    await openLedger(folder, { pid: 2 ** 22 + 1 }).claim([message('bob:1')], single);
    expect(linesIn(folder)).toHaveLength(before + 1);
    expect(await look(folder, 'bob:1')).toMatchObject({ verdict: 'unsure' });
  });
});

async function send(folder: string, text: string, outcome: Settlement): Promise<void> {
  const ledger = openLedger(folder);
  const row = message(text);
  expect(await ledger.claim([row], single)).toEqual([{ verdict: 'yours' }]);
  await ledger.close([{ run, row, outcome }]);
}

async function look(folder: string, text: string) {
  const ledger = openLedger(folder);
  const verdict = await ledger.look(message(text), single);
  await ledger.close();
  return verdict;
}

function linesIn(folder: string): readonly string[] {
  const segment = readdirSync(folder).find((name) => /^\d.*\.ndjson$/.test(name)) ?? '';
  return readFileSync(join(folder, segment), 'utf8').trim().split('\n');
}
