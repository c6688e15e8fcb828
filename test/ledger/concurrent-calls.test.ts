import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listRuns } from '../../src/ledger/file/runs.ts';
import { killedAtChange, run, scriptIn } from './scripts.ts';
import { accepted, message, messages, openLedger, planOf, temporaryFolder } from './rig.ts';

/** Prints the number of disk changes of each step, in a turn that the process keeps. */
const text = `
${killedAtChange}
const { open, planOf } = await import('./library.mjs');
const rows = [1, 2, 3, 4].map((number) => new Uint8Array(20).fill(number));
const ledger = open(process.argv[2], true);
const { run } = await ledger.register(planOf(rows));
const claim = (at) => ledger.claim([rows[at]], { run });
const settle = (at) => ledger.settle([{ run, row: rows[at], outcome: 'done' }]);
const counted = async (act) => {
  const before = changes;
  await act();
  return changes - before;
};
await claim(0);
const apart = await counted(async () => { await settle(0); await claim(1); });
const together = await counted(() => Promise.all([settle(1), claim(2)]));
const many = await counted(() => Promise.all([settle(2), claim(3), claim(2), settle(3)]));
print([apart, together, many].join());
await ledger.close();
`;

describe('concurrent calls', () => {
  it('share one write', async () => {
    const home = temporaryFolder();
    const { lines } = await run(await scriptIn(home, text), join(home, 'ledger'), '0');
    expect(lines).toEqual(['2,1,1']);
  });

  it('get the same results as sequential calls', async () => {
    const folder = temporaryFolder();
    const ledger = openLedger(folder);
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1')));
    const [ada, bob] = [message('ada:1'), message('bob:1')];
    const results = await Promise.all([
      ledger.claim([ada], { run }),
      ledger.claim([ada, bob], { run }),
      ledger.settle([{ run, row: ada, outcome: 'done' }]),
      ledger.claim([ada, bob], { run }),
      ledger.runs(),
    ]);
    expect(results).toMatchObject([
      [{ verdict: 'yours' }],
      [{ verdict: 'taken' }, { verdict: 'yours' }],
      undefined,
      [{ verdict: 'done' }, { verdict: 'taken' }],
      [{ counts: { done: 1, leaving: 1 } }],
    ]);
    await ledger.close();
    const second = openLedger(folder);
    expect(await second.runs()).toMatchObject([{ counts: { done: 1, unsure: 1 } }]);
    await second.close();
  });

  it('fail separately if only one of them is invalid', async () => {
    const ledger = openLedger(temporaryFolder());
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1')));
    const results = await Promise.allSettled([
      ledger.claim(messages('ada:1'), { run }),
      ledger.claim(messages('ada:1'), { run: 'unknown' }),
      ledger.claim(messages('bob:1'), { run }),
    ]);
    expect(results).toMatchObject([
      { value: [{ verdict: 'yours' }] },
      { reason: { message: 'run unknown is not in the ledger any more' } },
      { value: [{ verdict: 'yours' }] },
    ]);
    await ledger.close();
  });

  it('all fail if the write fails, and so do later calls', async () => {
    const folder = temporaryFolder();
    const ledger = openLedger(folder);
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1')));
    const segment = join(folder, readdirSync(folder).find((name) => /^\d.*\.ndjson$/.test(name)) ?? '');
    writeFileSync(segment, `${readFileSync(segment, 'utf8')}[`);
    const claims = () => [messages('ada:1'), messages('bob:1')].map(async (rows) => ledger.claim(rows, { run }));
    const taken = { status: 'rejected', reason: { code: 'journal-taken' } };
    expect(await Promise.allSettled(claims())).toMatchObject([taken, taken]);
    expect(await Promise.allSettled(claims())).toMatchObject([taken, taken]);
    expect(listRuns(folder)).toEqual([]);
    await ledger.close();
  });
});
