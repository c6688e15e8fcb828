import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workerName } from '../../src/base/worker.ts';
import { query } from '../../src/base/transaction.ts';
import { alive } from '../support/cli.ts';
import { friday, machineWith, makeBatch, refused, sent, silent } from './batches-rig.ts';

const now = () => friday + 60_000;
const people = [
  { phone: '+491701000001', answer: sent },
  { phone: '+491701000002', answer: refused },
  { phone: '+491701000003', answer: silent },
  { phone: '12', problem: 'phone: "12" is not a phone number' },
  { phone: '+491701000004' },
];

describe('batches list', () => {
  it('has the counts of every batch of every account and mode, the latest last', async () => {
    const { ledger, open, json } = await machineWith(people, { at: friday + 2 });
    await makeBatch(ledger, people, { name: 'of-others', scope: { account: 'other' }, at: friday + 1 });
    await makeBatch(ledger, people.slice(0, 1), { name: 'practice', scope: { mode: 'sandbox' }, at: friday + 3 });
    const simulated = { account: 'sandbox:1', kind: 'import', template: '' } as const;
    await makeBatch(await open('local'), people.slice(4), { name: 'contacts', scope: simulated });
    expect(await json('batches list', { now })).toMatchObject([
      { name: 'contacts', template: null, profile: 'local', kind: 'import', sent: 0, waiting: 1, state: 'stopped' },
      { name: 'of-others', profile: null, account: 'other' },
      { name: 'autumn', template: 'sale', profile: 'blumen', sent: 1, waiting: 1, failed: 2, unsure: 1, rows: 5 },
      { name: 'practice', profile: 'blumen', mode: 'sandbox', sent: 1, state: 'done' },
    ]);
  });

  it('is a table with the columns that people look for', async () => {
    const { run } = await machineWith(people);
    const { stdout, stderr } = await run('batches list --no-color', { now, terminal: 80 });
    expect(stderr).toMatch(/^note: more columns: (?:not_sent, )?(?:rows, )?state, id, .*…; --columns, -o json\n$/);
    expect(stderr.length).toBeLessThanOrEqual(81);
    expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      expect.stringMatching(/^name template profile last sent waiting failed unsure/),
      expect.stringMatching(/^autumn sale blumen \S+ 1 1 2 1/),
      '',
    ]);
  });

  it.each([
    { state: 'working', change: `worker = '1:1@a.1.laptop-2:00000001', until = ${friday + 90_000}` },
    { state: 'stopped', change: "worker = '1:1@a.1.laptop-2:00000001', until = 1" },
    { state: 'cut off', change: 'loading = 1' },
    { state: 'cancelled', change: 'is_cancelled = 1' },
  ])('shows that a batch is $state', async ({ state, change }) => {
    const { ledger, json } = await machineWith(people);
    await ledger.write(() => query(`UPDATE batch SET ${change}`));
    expect(await json('batches list', { now })).toMatchObject([{ state }]);
  });

  it('knows that a process of this machine is gone', async () => {
    const worker = workerName({ pid: process.pid, random: Math.random });
    const { json } = await machineWith(people, { worker });
    expect(await json('batches list', { now })).toMatchObject([{ state: 'working' }]);
    const kill = (pid: number) => pid !== process.pid && alive(pid);
    expect(await json('batches list', { now, kill })).toMatchObject([{ state: 'stopped' }]);
  });

  it('leaves the names for completion, the latest first', async () => {
    const { ledger, run, stateFolder } = await machineWith(people, { name: 'b' });
    await makeBatch(ledger, people, { name: 'a', at: friday + 1 });
    await run('batches list', { now });
    expect(readFileSync(join(stateFolder, 'batches.txt'), 'utf8')).toBe('a\nb\n');
  });
});
