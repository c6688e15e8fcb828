import { describe, expect, it } from 'vitest';
import type { ReportedRow } from '../../src/ledger/ledger.ts';
import { singlesOf } from '../../src/ledger/run.ts';
import { drivers } from './drivers.ts';
import { createMachine as createMachineOn, type Process } from './machine.ts';
import { accepted, account, day, fatesIn, message, messages, planOf, sendAll } from './rig.ts';

const people = 'ada:1 bob:1 cyd:1 dan:1';
/** The reason shown for rows in flight of a process that ended. */
const killed = 'the process ended while it was being sent';

async function reportOf(ledger: Process, run: string): Promise<readonly ReportedRow[]> {
  const rows: ReportedRow[] = [];
  for await (const page of ledger.rows(run)) rows.push(...page);
  return rows;
}

/** Line, state, code, reason and id of each row. */
async function linesOf(ledger: Process, run: string) {
  return (await reportOf(ledger, run)).map(({ line, state, code, reason, id }) => [line, state, code, reason, id]);
}

describe.each(drivers)('the report of a run $where', ({ driver }) => {
  const createMachine = () => createMachineOn(driver);

  it('has the line, state, id and reason of each row', async () => {
    const machine = createMachine();
    const ledger = machine.start();
    const { run } = accepted(await ledger.register(planOf(people)));
    await ledger.claim(messages('ada:1 bob:1 cyd:1'), { run });
    await ledger.settle([
      { run, row: message('ada:1'), outcome: 'done', line: 2, id: 'msg_1' },
      { run, row: message('bob:1'), outcome: 'failed', line: 3, code: 'rejected', reason: 'no' },
    ]);
    machine.kill(ledger.pid);
    const later = machine.start();
    await later.runs();
    expect(await linesOf(later, run)).toEqual([
      [2, 'done', undefined, undefined, 'msg_1'],
      [3, 'failed', 'rejected', 'no', undefined],
      [4, 'unsure', 'killed', killed, undefined],
      [5, 'planned', undefined, undefined, undefined],
    ]);
    const [one] = await later.rowsAt(run, [2, 99]);
    const at = expect.any(Number);
    expect(one).toEqual({ item: 2, line: 3, state: 'failed', at, code: 'rejected', reason: 'no', id: undefined });
  });

  it('has a row that was given up before it was claimed, and the run is finished without it', async () => {
    const machine = createMachine();
    const [ledger, other] = [machine.start(), machine.start()];
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1 cyd:1')));
    await other.claim(messages('cyd:1'), { run });
    await ledger.claim(messages('ada:1'), { run });
    const given = ['ada:1', 'bob:1', 'cyd:1'].map((row, at) => ({ row: message(row), line: 2 + at }));
    await ledger.settle(given.map((row) => ({ run, ...row, outcome: 'withdraw', code: 'excluded' })));
    expect(await linesOf(ledger, run)).toEqual([
      [2, 'leaving', undefined, undefined, undefined],
      [3, 'withdrawn', 'excluded', undefined, undefined],
      [4, 'leaving', undefined, undefined, undefined],
    ]);
    await ledger.settle([{ run, row: message('ada:1'), outcome: 'done', line: 2 }]);
    await other.settle([{ run, row: message('cyd:1'), outcome: 'done', line: 4 }]);
    expect((await ledger.runs())[0]).toMatchObject({ isFinished: true, counts: { done: 2, withdrawn: 1, planned: 0 } });
  });

  it('has the last outcome of a row, and no earlier reason', async () => {
    const ledger = createMachine().start();
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1')));
    const rows = messages('ada:1 bob:1');
    await ledger.claim(rows, { run });
    await ledger.settle(rows.map((row) => ({ run, row, outcome: 'failed', line: 2, code: 'rejected', reason: 'no' })));
    accepted(await ledger.register(planOf('ada:1 bob:1')));
    await ledger.claim(rows, { run });
    expect(await linesOf(ledger, run)).toEqual([
      [2, 'leaving', undefined, undefined, undefined],
      [3, 'leaving', undefined, undefined, undefined],
    ]);
    await ledger.settle([{ run, row: message('ada:1'), outcome: 'done', line: 2, id: 'msg_1' }]);
    expect((await linesOf(ledger, run))[0]).toEqual([2, 'done', undefined, undefined, 'msg_1']);
  });

  it('has the lines of the latest input', async () => {
    const ledger = createMachine().start();
    const { run } = accepted(await ledger.register(planOf(people)));
    await ledger.claim(messages('ada:1'), { run });
    await ledger.settle([{ run, row: message('ada:1'), outcome: 'done', line: 2 }]);
    const again = accepted(await ledger.register(planOf('eve:1 dan:1 cyd:1 ada:1 bob:1')));
    expect([again.run, fatesIn(again)]).toEqual([run, ['due', 'due', 'due', 'done', 'due']]);
    expect((await linesOf(ledger, run)).map(([line]) => line)).toEqual([5, 6, 4, 3, 2]);
  });

  it('ends with the rows that only the input has, of the latest command', async () => {
    const machine = createMachine();
    const ledger = machine.start();
    const { run } = accepted(await ledger.register(planOf(people)));
    const invalid = { line: 7, code: 'invalid', reason: 'no phone' };
    await ledger.addUnsent(run, [invalid, { line: 6, code: 'duplicate' }]);
    await ledger.addUnsent(run, [invalid]);
    const unsent = async () => (await reportOf(ledger, run)).filter(({ state }) => state === 'unsent');
    const none = { item: 0, state: 'unsent', at: undefined, id: undefined, reason: undefined };
    expect(await unsent()).toEqual([
      { ...none, line: 6, code: 'duplicate' },
      { ...none, ...invalid },
    ]);
    accepted(await ledger.register(planOf(people)));
    expect(await unsent()).toEqual([]);
    await ledger.addUnsent(run, [{ line: 8, code: 'excluded' }]);
    expect(await unsent()).toEqual([{ ...none, line: 8, code: 'excluded' }]);
    await ledger.close();
    const other = machine.start();
    await other.forget({ run });
    await expect(other.addUnsent(run, [invalid])).rejects.toMatchObject({ code: 'run-gone' });
    await expect(reportOf(other, run)).rejects.toMatchObject({ code: 'run-gone' });
  });

  it('names the rows that another run has sent meanwhile', async () => {
    const ledger = createMachine().start();
    const { run } = accepted(await ledger.register(planOf(people)));
    await sendAll(ledger, planOf('cyd:1 dan:1', { again: true, besides: true }));
    await ledger.claim(messages('cyd:1'), { run });
    const states = (await reportOf(ledger, run)).map(({ state, code }) => [state, code]);
    expect(states).toEqual([
      ['planned', undefined],
      ['planned', undefined],
      ['withdrawn', 'elsewhere'],
      ['planned', undefined],
    ]);
    const last = accepted(await ledger.register(planOf(people, { skipSent: day })));
    // The run has neither row any more: only the input does.
    expect([fatesIn(last), [...last.items].map(Boolean)]).toEqual([
      ['due', 'due', 'earlier', 'earlier'],
      [true, true, false, false],
    ]);
  });

  it('says which rows a later run has sent once more because they were unsure', async () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(await first.register(planOf('ada:1')));
    await first.claim(messages('ada:1'), { run });
    await first.settle([{ run, row: message('ada:1'), outcome: 'unsure', line: 2, code: 'timeout', reason: 'late' }]);
    await first.endRun(run);
    await first.close();
    const later = machine.start();
    const last = await sendAll(later, planOf('ada:1', { again: true, besides: true, retryUnsure: 'always' }));
    const reason = `sent once more by run ${last.run}`;
    expect(await linesOf(later, run)).toEqual([[2, 'done', undefined, reason, undefined]]);
  });

  it('says which rows the user has resolved', async () => {
    const ledger = createMachine().start();
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1 cyd:1')));
    const rows = messages('ada:1 bob:1 cyd:1');
    await ledger.claim(rows, { run });
    await ledger.settle(rows.map((row) => ({ run, row, outcome: 'unsure', code: 'timeout', reason: 'late' })));
    expect(await ledger.resolve(run, 'sent', { isOn: (line) => line === 3 })).toBe(1);
    expect(await ledger.resolve(run, 'sent', { isOn: (line) => line === 3 })).toBe(0);
    expect(await ledger.resolve(run, 'not-sent', { isOn: (line) => line > 3 })).toBe(1);
    const recorded = 'recorded by runs resolve';
    expect(await linesOf(ledger, run)).toEqual([
      [2, 'unsure', 'timeout', 'late', undefined],
      [3, 'done', undefined, recorded, undefined],
      [4, 'failed', undefined, recorded, undefined],
    ]);
  });

  it('of many rows comes in pages', async () => {
    const ledger = createMachine().start();
    const rows = Array.from({ length: 1_200 }, (_, at) => `p${at}:1`).join(' ');
    const { run } = accepted(await ledger.register(planOf(rows)));
    await ledger.addUnsent(
      run,
      Array.from({ length: 600 }, (_, at) => ({ line: 2_000 + at, code: 'duplicate' })),
    );
    const lines = (await reportOf(ledger, run)).map(({ line }) => line);
    expect(lines).toEqual(Array.from({ length: 1_800 }, (_, at) => (at < 1_200 ? 2 + at : 800 + at)));
  });
});

it.each(drivers)('counts the live messages of an account since a time, $where', async ({ driver }) => {
  const machine = createMachineOn(driver);
  const ledger = machine.start();
  await sendAll(ledger, planOf('ada:1 bob:1'));
  machine.wait(day);
  const since = machine.now();
  await sendAll(ledger, planOf('cyd:1 dan:1 eve:1'));
  await sendAll(ledger, planOf('ida:1', { mode: 'sandbox' }));
  const single = { account, mode: 'live', kind: 'message', template: 'welcome' } as const;
  await ledger.claim([message('fay:1')], { single });
  await ledger.settle([{ run: singlesOf(single), row: message('fay:1'), outcome: 'done' }]);
  await ledger.claim([message('gil:1')], { single });
  expect(await ledger.sentSince(account, since)).toBe(4);
  expect(await ledger.sentSince('profile:other', since)).toBe(0);
});
