import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SingleTerms } from '../../src/ledger/ledger.ts';
import { drivers } from './drivers.ts';
import { createMachine as createMachineOn, type Machine } from './machine.ts';
import { openByDigest } from './opened.ts';
import {
  accepted,
  account,
  day,
  message,
  messages,
  planOf,
  type PlanOptions,
  rowOf,
  stopOf,
  temporaryFolder,
} from './rig.ts';

const single: SingleTerms = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } };
const singles = 'singles live https://api.example.com welcome';

describe.each(drivers)('a ledger after 400 days, $where', ({ driver }) => {
  const createMachine = () => createMachineOn(driver);

  it('removes the rows of expired runs, and keeps what still counts', async () => {
    const machine = createMachine();
    const done = await send(machine, 'ada:1 bob:1');
    const unsure = await send(machine, 'cyd:1 dan:1', ['unsure', 'done']);
    await sendSingle(machine, 'eve:1');
    await sendSingle(machine, 'ida:1', 'unsure');
    machine.wait(390 * day);
    await sendSingle(machine, 'fay:1');
    machine.wait(15 * day);
    await sendSingle(machine, 'gil:1');
    machine.wait(day);
    await sendSingle(machine, 'hal:1');
    const runs = await machine.start().runs();
    expect(runs.map(({ id }) => id)).not.toContain(done);
    expect(runs.find(({ id }) => id === unsure)).toMatchObject({ counts: { unsure: 1, done: 0 } });
    expect(runs.find(({ id }) => id === singles)).toMatchObject({ counts: { unsure: 1, done: 3 } });
    const again = planOf('eve:1 fay:1 gil:1 ada:1 cyd:1 dan:1');
    expect(stopOf(await machine.start().register({ ...again, isRehearsal: true }))).toMatchObject({ rows: 3 });
  });

  it('can still resolve unsure rows, and forgets them 400 days later', async () => {
    const machine = createMachine();
    const run = await send(machine, 'ada:1 bob:1 cyd:1', ['unsure', 'unsure', 'unsure']);
    machine.wait(401 * day);
    await sendSingle(machine, 'eve:1');
    machine.wait(day);
    await sendSingle(machine, 'fay:1');
    const ledger = machine.start();
    expect(await ledger.resolve(run, 'sent', { isOn: (line) => line === 3 })).toBe(1);
    expect(await ledger.resolve(run, 'not-sent')).toBe(2);
    await ledger.close();
    const counts = { done: 1, failed: 2, unsure: 0 };
    expect((await machine.start().runs()).find(({ id }) => id === run)).toMatchObject({ counts });
    for (const days of [1, 401, 1]) {
      machine.wait(days * day);
      await sendSingle(machine, `p${machine.now()}:1`);
    }
    expect((await machine.start().runs()).map(({ id }) => id)).toEqual([singles]);
  });

  it('still has everything after one command under a clock that is years ahead', async () => {
    const machine = createMachine();
    await send(machine, 'ada:1 bob:1');
    machine.wait(900 * day);
    await sendSingle(machine, 'eve:1');
    machine.wait(-899 * day);
    await sendSingle(machine, 'fay:1');
    const stop = stopOf(await machine.start().register({ ...planOf('ada:1 bob:1 cyd:1'), isRehearsal: true }));
    expect(stop).toMatchObject({ reason: 'sent-before', rows: 2 });
  });

  it('still stops a batch with rows that are unsure', async () => {
    const machine = createMachine();
    await send(machine, 'ada:1', ['unsure']);
    machine.wait(401 * day);
    await sendSingle(machine, 'eve:1');
    machine.wait(day);
    await sendSingle(machine, 'fay:1');
    const stop = stopOf(await machine.start().register({ ...planOf('ada:1 bob:1'), isRehearsal: true }));
    expect(stop).toMatchObject({ reason: 'sent-before', rows: 1 });
  });

  it('keeps a job for 400 days, and an import for 30', async () => {
    const machine = createMachine();
    const run = await send(machine, 'ada:1 bob:1', [], { job: 'welcome' });
    await send(machine, 'cyd:1', [], { kind: 'contact' });
    for (let month = 0; month < 12; month++) {
      machine.wait(31 * day);
      await sendSingle(machine, `p${month}:1`);
    }
    expect((await machine.start().runs()).map(({ id }) => id)).toEqual([run, singles]);
    const plan = planOf('ada:1 bob:1 dan:1', { job: 'welcome' });
    const ledger = machine.start();
    expect(await ledger.register(plan)).toMatchObject({ run, continues: true, counts: { done: 2, due: 1 } });
    await ledger.claim(messages('dan:1'), { run });
    await ledger.settle([{ run, row: message('dan:1'), outcome: 'done' }]);
    await ledger.close();
    for (const days of [401, 1]) {
      machine.wait(days * day);
      await sendSingle(machine, `q${days}:1`);
    }
    expect((await machine.start().runs()).map(({ id }) => id)).toEqual([singles]);
  });
});

it('a registration that a kill cut short is removed', async () => {
  const machine = createMachineOn();
  const first = machine.start();
  const people = Array.from({ length: 9_000 }, (_, at) => `p${at}:1`);
  const plan = planOf(people.join(' '));
  // It dies between two parts of its rows.
  const read = (row: number) => {
    if (row === 5_000) throw new Error('it was killed');
    return plan.input.read(row);
  };
  await expect(first.register({ ...plan, input: { ...plan.input, read } })).rejects.toThrow('it was killed');
  machine.kill(first.pid);
  const others = planOf(people.slice(0, 10).join(' '), { skipSent: day });
  expect(accepted(await machine.start().register(others))).toMatchObject({ continues: false, counts: { due: 10 } });
  await sendSingle(machine, 'ada:1');
  expect((await machine.start().runs()).map(({ counts }) => counts.planned)).toEqual([10, 0]);
});

it('a ledger does not grow with its age', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  let now = Date.UTC(2026, 2, 4, 12);
  const sizes: number[] = [];
  for (let at = 0; at < 80; at++) {
    now += 15 * day;
    const ledger = await openByDigest(folder, { isLocal: true, host: { now: () => now } });
    const rows = Array.from({ length: 100 }, (_, row) => message(`p${at}-${row}:1`));
    for (const row of rows) await ledger.claim([row], single);
    await ledger.close(rows.map((row) => ({ run: singles, row, outcome: 'done' })));
    sizes.push(statSync(join(folder, 'old-local.db')).size);
  }
  expect(sizes[79] ?? Infinity).toBeLessThan((sizes[40] ?? 0) * 1.1);
});

async function send(
  machine: Machine,
  people: string,
  outcomes: readonly ('done' | 'unsure')[] = [],
  options: PlanOptions = {},
): Promise<string> {
  const ledger = machine.start();
  const plan = planOf(people, options);
  const { run } = accepted(await ledger.register(plan));
  const rows = messages(people).map((_, row) => rowOf(plan, row));
  await ledger.claim(rows, { run });
  await ledger.settle(rows.map((row, at) => ({ run, row, outcome: outcomes[at] ?? 'done' })));
  await ledger.endRun(run);
  await ledger.close();
  return run;
}

async function sendSingle(machine: Machine, person: string, outcome: 'done' | 'unsure' = 'done'): Promise<void> {
  const ledger = machine.start();
  const row = message(person);
  expect(await ledger.claim([row], single)).toEqual([{ verdict: 'yours' }]);
  await ledger.close([{ run: singles, row, outcome }]);
}
