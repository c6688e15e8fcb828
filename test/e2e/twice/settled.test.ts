import { describe, expect } from 'vitest';
import { objects } from '../../support/json-lines.ts';
import { it, type Machine, people, phoneOf } from './rig.ts';

const all = people(1, 40);

/** A batch whose rows for these people are unsure; returns its run. */
async function withUnsure(machine: Machine, numbers: readonly number[], words = ''): Promise<string> {
  const phones = new Set(numbers.map(phoneOf));
  machine.reply = ({ phone }) => (phones.has(phone) ? 500 : 200);
  const { summary } = await machine.sends({ sent: 40 - numbers.length, code: 10 }, all, words);
  machine.reply = () => 200;
  machine.times = (number) => (numbers.includes(number) ? [0, 2] : 1);
  return summary.run;
}

/** A batch that was killed with 4 rows sent and 16 in flight. */
async function killed(machine: Machine): Promise<string> {
  await machine.killed(4, all);
  machine.times = (number) => (number <= 20 ? [0, 2] : 1);
  return String((await list(machine, 'list'))[0]?.['id']);
}

function runs(machine: Machine, words: string) {
  return machine.run(['runs', ...words.split(' '), '-o', 'ndjson']);
}

async function list(machine: Machine, words: string) {
  return objects((await runs(machine, words)).stdout);
}

describe('unsure rows', () => {
  it.for([
    ['--sent', 0],
    ['--not-sent', 3],
  ] as const)('of a finished run are sent only if runs resolve says %s', async ([found, sent], { machine }) => {
    const run = await withUnsure(machine, [3, 7, 8]);
    expect(await list(machine, `resolve ${run} ${found}`)).toMatchObject([{ rows: 3 }]);
    expect(await list(machine, `show ${run} --outcome unsure`)).toEqual([]);
    await machine.sends(sent, all, '--skip-sent');
  });

  it('are resolved by line, and only once', async ({ machine }) => {
    const run = await withUnsure(machine, [3, 7, 8]);
    for (const [words, rows] of [
      // Row 3 is on line 4.
      ['--not-sent --lines 4', 1],
      ['--sent --lines 8-9', 2],
    ] as const)
      expect(await list(machine, `resolve ${run} ${words}`)).toMatchObject([{ rows }]);
    expect((await runs(machine, `resolve ${run} --sent --lines 8-9`)).code).toBe(2);
    await machine.sends(1, all, '--skip-sent');
  });

  it.for([
    ['--sent', { sent: 20, failed: 0 }, 20],
    ['--not-sent', { sent: 4, failed: 16 }, 36],
  ] as const)('of a killed batch are resolved %s', async ([found, counts, sent], { machine }) => {
    const run = await killed(machine);
    expect(await list(machine, `resolve ${run} ${found}`)).toMatchObject([{ rows: 16 }]);
    expect(await list(machine, 'list')).toMatchObject([{ rows: 40, unsure: 0, left: 20, ...counts }]);
    await machine.sends({ sent, skipped: { unsure: 0 } }, all);
  });

  it('of a killed batch are not among the rows that runs close gives up', async ({ machine }) => {
    const run = await killed(machine);
    machine.times = () => [0, 1];
    expect(await list(machine, `close ${run}`)).toEqual([{ run, left: 20 }]);
    expect(await list(machine, 'list')).toMatchObject([{ state: 'closed', rows: 40, sent: 4, unsure: 16, left: 0 }]);
  });

  it('stop the same command, are held back by --skip-sent, and lead to their run', async ({ machine }) => {
    const run = await withUnsure(machine, [3, 7]);
    await machine.refuses([/40 found, 2 unsure/, /--retry-unsure sends the unsure rows once more/], all);
    const held = { sent: 0, code: 10, skipped: { unsure: 2 } };
    const { summary, stderr } = await machine.sends(held, all, '--skip-sent');
    expect(stderr).toContain(`bizmsg runs resolve ${run}`);
    expect(await list(machine, `show ${summary.run} --outcome unsure`)).toEqual([]);
    await machine.sends(2, all, '--retry-unsure');
  });

  it('are those of the latest run, or of a job, without an id', async ({ machine }) => {
    const run = await withUnsure(machine, [3], '--job may');
    expect(await list(machine, 'show may --outcome unsure')).toMatchObject([{ line: 4 }]);
    expect(await list(machine, 'resolve --sent')).toMatchObject([{ run, rows: 1 }]);
    expect((await runs(machine, 'resolve --sent')).code).toBe(2);
  });

  it('of one person are resolved with --recipient, in runs and in single messages', async ({ machine }) => {
    const run = await withUnsure(machine, [3, 4]);
    machine.reply = () => 500;
    expect((await machine.single({ ...all[2], phone: phoneOf(3), name: 'Other' })).code).toBe(13);
    const words = `resolve --recipient ${phoneOf(3)} --sent`;
    expect(await list(machine, words)).toEqual([{ run: null, rows: 2, found: 'sent' }]);
    expect((await runs(machine, words)).code).toBe(2);
    expect(await list(machine, `show ${run} --outcome unsure`)).toMatchObject([{ line: 5 }]);
  });
});

describe('runs forget', () => {
  it('makes all rows of an unfinished run due again', async ({ machine }) => {
    await machine.interrupted(4, all, '--concurrency 4');
    const [run] = await list(machine, 'list');
    expect((await runs(machine, `forget ${String(run?.['id'])} --yes`)).code).toBe(0);
    const { summary } = await machine.sends(40, all);
    expect(summary.continues).toBe(false);
    machine.times = () => [1, 2];
  });

  it('--recipient permits sending to one person again', async ({ machine }) => {
    const forget = `forget --recipient ${phoneOf(1)} --yes`;
    await machine.sends(40, all);
    expect((await runs(machine, forget)).code).toBe(0);
    await machine.sends({ sent: 1, skipped: { earlier_run: 39 } }, all, '--skip-sent');
    expect((await machine.single(all[0])).code).toBe(11);
    expect((await runs(machine, forget)).code).toBe(0);
    expect((await machine.single(all[0])).code).toBe(0);
    machine.times = (number) => (number === 1 ? 3 : 1);
  });
});

it('runs close ends a finished job, whose name cannot be used again', async ({ machine }) => {
  await machine.sends(40, all, '--job may');
  expect((await runs(machine, 'close may')).code).toBe(0);
  await machine.refuses([/job may was closed/], all, '--job may');
});

it('runs show lists rows that cannot be sent, also if the run stopped before them', async ({ machine }) => {
  const rows = [...people(1, 600), { phone: 'no phone', name: 'Eve' }];
  machine.times = () => [0, 1];
  await machine.interrupted(1, rows, '--concurrency 1');
  const [run] = await list(machine, 'list');
  expect(run).toMatchObject({ failed: 1 });
  expect(await list(machine, `show ${String(run?.['id'])} --outcome invalid`)).toMatchObject([{ line: 602 }]);
});
