import { describe, expect, it } from 'vitest';
import { singlesOf } from '../../src/ledger/run.ts';
import { drivers } from './drivers.ts';
import { countsOf, createMachine as createMachineOn, type Machine, type Process } from './machine.ts';
import {
  accepted,
  account,
  day,
  fatesIn,
  hour,
  message,
  messages,
  planOf,
  rowOf,
  sendAll,
  sendAllRows,
  stopOf,
} from './rig.ts';

const people = 'ada:1 bob:1 cyd:1 dan:1';

describe.each(drivers)('a ledger $where', ({ driver }) => {
  const createMachine = () => createMachineOn(driver);

  describe('the same command again', () => {
    it('continues the run and skips sent rows', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.claim(messages('ada:1 bob:1'), { run });
      await first.settle([
        { run, row: message('ada:1'), outcome: 'done' },
        { run, row: message('bob:1'), outcome: 'release' },
      ]);
      await first.close();
      const again = accepted(await machine.start().register(planOf(people)));
      expect(again).toMatchObject({ run, continues: true });
      expect(fatesIn(again)).toEqual(['done', 'due', 'due', 'due']);
    });

    it('counts rows in flight of a dead process as unsure', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.claim(messages('ada:1'), { run });
      machine.kill(first.pid);
      const second = machine.start();
      expect(fatesIn(accepted(await second.register(planOf(people))))).toEqual(['unsure', 'due', 'due', 'due']);
      expect(await second.claim(messages('ada:1'), { run })).toMatchObject([{ verdict: 'unsure', run }]);
      expect(await second.claim(messages('ada:1'), { run, retryUnsure: true })).toEqual([{ verdict: 'yours' }]);
    });

    it('continues a longer, sorted file, and withdraws removed rows', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.close();
      const longer = accepted(await machine.start().register(planOf('eve:1 cyd:1 bob:1 ada:1')));
      expect(longer).toMatchObject({ run, continues: true, notes: [{ note: 'withdrawn', rows: 1 }] });
      expect(await countsOf(machine, run)).toMatchObject({ planned: 4, withdrawn: 1 });
    });

    it('does not continue the run if fewer than half of its recipients occur', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.close();
      const other = accepted(await machine.start().register(planOf('ada:1 eve:1 fay:1')));
      expect(other).toMatchObject({ continues: false });
      expect(other.run).not.toBe(run);
    });

    it('counts each recipient once, with any number of messages', async () => {
      const machine = createMachine();
      const first = machine.start();
      accepted(await first.register(planOf('ada:1 ada:2 ada:3 ada:4 bob:1 cyd:1')));
      await first.close();
      expect(accepted(await machine.start().register(planOf('ada:1 eve:1')))).toMatchObject({ continues: false });
    });

    it('continues the latest of several runs', async () => {
      const machine = createMachine();
      const first = machine.start();
      const one = accepted(await first.register(planOf('ada:1 bob:1')));
      await first.close();
      const two = accepted(await machine.start().register(planOf('ada:1 cyd:1', { again: true })));
      expect(two.run).not.toBe(one.run);
      expect(accepted(await machine.start().register(planOf(people)))).toMatchObject({ run: two.run });
    });

    it('joins a running one, and leaves rows that only the other process has', async () => {
      const machine = createMachine();
      const { run } = accepted(await machine.start().register(planOf(people)));
      const joined = accepted(await machine.start().register(planOf('ada:1 bob:1')));
      expect(joined).toMatchObject({ run, notes: [{ note: 'joined', run }] });
      expect(await countsOf(machine, run)).toMatchObject({ planned: 4, withdrawn: 0 });
    });

    it('asks about a live run that was idle for more than 12 hours', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.close();
      machine.wait(12 * hour + 1);
      const second = machine.start();
      const idle = expect.closeTo(12 * hour, -4);
      expect(stopOf(await second.register(planOf(people)))).toEqual({ reason: 'idle', run, idle, left: 4 });
      expect(accepted(await second.register(planOf(people, { continue: true })))).toMatchObject({ run });
    });

    it('starts a separate run with --again, and continues that run with --again', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.close();
      const second = machine.start();
      const again = accepted(await second.register(planOf(people, { again: true })));
      expect(again.run).not.toBe(run);
      await second.close();
      expect(accepted(await machine.start().register(planOf(people, { again: true })))).toMatchObject({
        run: again.run,
      });
    });

    describe.each(['message', 'contact'] as const)('completes a run of kind %s whose last row is settled', (kind) => {
      it.each([
        ['killed', async ({ kill }: Machine, { pid }: Process) => kill(pid)],
        ['stopped', async (_: Machine, { close }: Process) => close()],
      ])('but that was %s before it ended', async (_, stop) => {
        const machine = createMachine();
        const first = machine.start();
        const { run } = await sendAllRows(first, planOf(people, { kind }));
        await stop(machine, first);
        const second = machine.start();
        expect(await sendAll(second, planOf(people, { kind }))).toMatchObject({ run, counts: { done: 4 } });
        const third = await machine.start().register(planOf(people, { kind, newOnly: true }));
        expect(accepted(third).run).not.toBe(run);
      });
    });

    it('completes a run after a process that sent some of its rows was killed, whatever other processes ended', async () => {
      const machine = createMachine();
      const plan = planOf(people, { kind: 'contact' });
      const [first, second] = [machine.start(), machine.start()];
      const { run } = accepted(await first.register(plan));
      await second.register(plan);
      await first.claim([rowOf(plan, 0)], { run });
      await sendAll(second, plan);
      machine.kill(first.pid);
      expect(await machine.start().register(plan)).toMatchObject({ run, counts: { done: 3, unsure: 1 } });
    });

    it('asks after 12 hours about a live run that has not ended, and starts a new one after 7 days', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = await sendAllRows(first, planOf(people));
      await first.close();
      machine.wait(12 * hour + 1);
      expect(stopOf(await machine.start().register(planOf(people)))).toMatchObject({ reason: 'idle', run, left: 0 });
      machine.wait(7 * day);
      expect(stopOf(await machine.start().register(planOf(people)))).toMatchObject({ reason: 'sent-before', rows: 4 });
    });

    it('closes a run after 7 idle days, with a note', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.close();
      machine.wait(7 * day);
      const next = accepted(await machine.start().register(planOf(people)));
      expect(next).toMatchObject({ continues: false, notes: [{ note: 'closed', run, rows: 4 }] });
      expect(await machine.start().runs()).toContainEqual(
        expect.objectContaining({
          id: run,
          isClosed: true,
          counts: expect.objectContaining({ planned: 0, withdrawn: 4 }),
        }),
      );
    });

    it('does not close the single messages of an account', async () => {
      const machine = createMachine();
      const first = machine.start();
      const single = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } } as const;
      await first.claim([message('ada:1')], single);
      await first.settle([{ run: singlesOf(single.single), row: message('ada:1'), outcome: 'release' }]);
      await first.close();
      machine.wait(7 * day);
      expect(accepted(await machine.start().register(planOf(people)))).toMatchObject({ notes: [] });
    });

    it('does not continue a closed run', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.close();
      await machine.start().closeRun(run);
      expect(accepted(await machine.start().register(planOf(people)))).toMatchObject({ continues: false });
    });

    it('registers all rows with --first, sends the first of them once, and the others without it', async () => {
      const machine = createMachine();
      const once = await sendAll(machine.start(), planOf(people, { first: 2 }));
      expect(fatesIn(once)).toEqual(['due', 'due', 'later', 'later']);
      expect(fatesIn(await sendAll(machine.start(), planOf(people, { first: 2 })))).toEqual([
        'done',
        'done',
        'later',
        'later',
      ]);
      expect(fatesIn(await sendAll(machine.start(), planOf(people)))).toEqual(['done', 'done', 'due', 'due']);
    });

    it('retries failed rows, but not twice in one command', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.claim(messages('ada:1'), { run });
      await first.settle([{ run, row: message('ada:1'), outcome: 'failed' }]);
      expect(await first.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'failed' }]);
      const second = machine.start();
      expect(fatesIn(accepted(await second.register(planOf(people))))).toEqual(['retry', 'due', 'due', 'due']);
      expect(await second.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'yours' }]);
      await second.settle([{ run, row: message('ada:1'), outcome: 'failed' }]);
      expect(await second.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'failed' }]);
    });

    it('skips duplicate rows of the input', async () => {
      const machine = createMachine();
      const result = accepted(await machine.start().register(planOf('ada:1 bob:1 ada:1 ada:2 ada:1')));
      expect(fatesIn(result)).toEqual(['due', 'due', 'duplicate', 'due', 'duplicate']);
      expect(result.counts).toMatchObject({ due: 3, duplicate: 2 });
    });

    it('refuses to send more rows than --at-most, and registers nothing', async () => {
      const machine = createMachine();
      expect(stopOf(await machine.start().register(planOf(people, { atMost: 3 })))).toEqual({
        reason: 'too-many',
        rows: 4,
      });
      expect(await machine.start().runs()).toEqual([]);
      expect(accepted(await machine.start().register(planOf(people, { atMost: 4 }))).counts.due).toBe(4);
    });

    it('registers nothing in a dry run', async () => {
      const machine = createMachine();
      const result = accepted(await machine.start().register(planOf(people, { isRehearsal: true })));
      expect(result.counts.due).toBe(4);
      expect(await machine.start().runs()).toEqual([]);
    });
  });

  describe('rows that another run has sent', () => {
    it('stops with a live key, and reports how many, when and by which run', async () => {
      const machine = createMachine();
      const { run } = await sendAll(machine.start(), planOf('ada:1 bob:1'));
      const at = expect.closeTo(machine.now(), -4);
      machine.wait(hour);
      const earlier = [{ run, job: undefined, at, host: undefined, rows: 2, unsure: 0 }];
      expect(stopOf(await machine.start().register(planOf(people)))).toEqual({
        reason: 'sent-before',
        rows: 2,
        earlier,
      });
    });

    it('sends the other rows with --new-only', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf('ada:1 bob:1'));
      const result = await sendAll(machine.start(), planOf(people, { newOnly: true }));
      expect(fatesIn(result)).toEqual(['earlier', 'earlier', 'due', 'due']);
    });

    it('sends all rows with --again', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people));
      const result = accepted(await machine.start().register(planOf(people, { again: true })));
      expect(result.counts.due).toBe(4);
    });

    it('only prints a note with a sandbox key', async () => {
      const machine = createMachine();
      const { run } = await sendAll(machine.start(), planOf(people, { mode: 'sandbox' }));
      const result = accepted(await machine.start().register(planOf(people, { mode: 'sandbox' })));
      expect(result.counts.due).toBe(4);
      const stop = { reason: 'sent-before', rows: 4, earlier: [{ run, rows: 4 }] };
      expect(result.notes).toMatchObject([{ note: 'would-stop', stop }]);
    });

    it('forgets them after 30 days', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people));
      machine.wait(30 * day - 5_000);
      await sendAll(machine.start(), planOf('eve:1'));
      expect((await machine.start().register(planOf(people))).stop).toMatchObject({ rows: 4 });
      machine.wait(10_000);
      expect((await machine.start().register(planOf(people))).stop).toBeUndefined();
    });

    it('counts them after 40 days, each time, if nothing was recorded since: the clock may have been behind', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf('eve:1'));
      machine.wait(-40 * day);
      await sendAll(machine.start(), planOf(people));
      machine.wait(40 * day);
      for (const _ of [1, 2])
        expect((await machine.start().register(planOf(people))).stop).toMatchObject({ reason: 'sent-before', rows: 4 });
    });

    it('still counts them if a process turns out to have died under that clock', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people));
      const killed = machine.start();
      const { run } = accepted(await killed.register(planOf('eve:1')));
      await killed.claim(messages('eve:1'), { run });
      machine.kill(killed.pid);
      machine.wait(40 * day);
      for (const _ of [1, 2])
        expect((await machine.start().register(planOf(people))).stop).toMatchObject({ reason: 'sent-before', rows: 4 });
    });

    it('counts planned rows of a live process, but not of a dead one', async () => {
      const machine = createMachine();
      const first = machine.start();
      accepted(await first.register(planOf('ada:1 bob:1 cyd:1 dan:1 eve:1')));
      expect(stopOf(await machine.start().register(planOf('ada:1')))).toMatchObject({ reason: 'sent-before', rows: 1 });
      machine.kill(first.pid);
      accepted(await machine.start().register(planOf('ada:1')));
    });

    it('checks again at each claim', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      const other = await sendAll(machine.start(), planOf('ada:1 eve:1 fay:1 gus:1', { again: true }));
      const terms = { run };
      expect(await first.claim(messages('ada:1 bob:1'), terms)).toMatchObject([
        { verdict: 'elsewhere', run: other.run, state: 'done' },
        { verdict: 'yours' },
      ]);
      expect(await countsOf(machine, run)).toMatchObject({ withdrawn: 1, leaving: 1, planned: 2 });
    });

    it('counts another key of the same origin, if an account is only known by its key', async () => {
      const machine = createMachine();
      const byKey = { id: 'key:1', origin: account.origin, isKeyDigest: true };
      await sendAll(machine.start(), planOf(people, { account: byKey }));
      expect((await machine.start().register(planOf(people))).stop).toMatchObject({ reason: 'sent-before', rows: 4 });
      const elsewhere = { ...account, origin: 'https://other.example.com' };
      expect((await machine.start().register(planOf(people, { account: elsewhere }))).stop).toBeUndefined();
    });

    it('does not ask with --job, which sends each row once under its name', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf('ada:1 bob:1'));
      const once = await sendAll(machine.start(), planOf(people, { job: 'monday' }));
      expect(once.counts).toMatchObject({ due: 4 });
      machine.wait(100 * day);
      const again = await sendAll(machine.start(), planOf(`${people} eve:1`, { job: 'monday' }));
      expect(again).toMatchObject({ run: once.run, counts: { done: 4, due: 1 } });
      expect((await sendAll(machine.start(), planOf(people, { job: 'tuesday' }))).counts).toMatchObject({ due: 4 });
    });

    it('continues a run started with --again without counting what it repeats', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people));
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people, { again: true })));
      await first.close();
      const next = machine.start();
      expect(accepted(await next.register(planOf(people)))).toMatchObject({ run, counts: { due: 4 } });
      expect((await next.claim(messages(people), { run })).every(({ verdict }) => verdict === 'yours')).toBe(true);
    });
  });

  describe('another key', () => {
    const other = { id: 'profile:new', origin: account.origin, isKeyDigest: false };

    it('stops before it continues the run of another account', async () => {
      const machine = createMachine();
      const { run } = accepted(await machine.start().register(planOf(people)));
      const second = machine.start();
      expect(stopOf(await second.register(planOf(people, { account: other })))).toEqual({
        reason: 'other-account',
        run,
      });
      expect(accepted(await second.register(planOf(people, { account: other, again: true }))).run).not.toBe(run);
    });

    it('continues with --continue, which is needed only once', async () => {
      const machine = createMachine();
      const { run } = accepted(await machine.start().register(planOf(people)));
      const second = machine.start();
      expect(accepted(await second.register(planOf(people, { account: other, continue: true }))).run).toBe(run);
      expect(accepted(await machine.start().register(planOf(people, { account: other }))).run).toBe(run);
    });

    it('stops before it continues the job of another account', async () => {
      const machine = createMachine();
      const { run } = await sendAll(machine.start(), planOf(people, { job: 'welcome' }));
      const plan = planOf(people, { job: 'welcome', account: other });
      expect(stopOf(await machine.start().register(plan))).toMatchObject({ reason: 'other-account', run });
    });
  });

  describe('edited rows', () => {
    async function interrupted() {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.claim(messages('ada:1 bob:1'), { run });
      await first.settle(messages('ada:1 bob:1').map((row) => ({ run, row, outcome: 'done' as const })));
      await first.close();
      return { machine, run };
    }

    it('stop the command', async () => {
      const { machine, run } = await interrupted();
      const stop = stopOf(await machine.start().register(planOf('eve:2 ada:2 bob:2 cyd:2 dan:2')));
      expect(stop).toEqual({ reason: 'edited', run, row: 1, rows: 2 });
    });

    it('are skipped or sent as the user decides', async () => {
      const { machine } = await interrupted();
      const text = 'ada:2 bob:1 cyd:2 dan:2';
      const skipped = accepted(await machine.start().register(planOf(text, { changed: 'skip', isRehearsal: true })));
      expect(fatesIn(skipped)).toEqual(['changed', 'done', 'due', 'due']);
      const sent = accepted(await machine.start().register(planOf(text, { changed: 'send', isRehearsal: true })));
      expect(fatesIn(sent)).toEqual(['due', 'done', 'due', 'due']);
    });

    it('are not a second order of the same customer', async () => {
      const { machine, run } = await interrupted();
      expect(accepted(await machine.start().register(planOf(`${people} ada:2`)))).toMatchObject({
        run,
        counts: { due: 3 },
      });
    });

    it('do not stop a job', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people, { job: 'daily' }));
      expect(accepted(await machine.start().register(planOf('ada:2 bob:2', { job: 'daily' }))).counts.due).toBe(2);
    });
  });

  describe('unsure rows', () => {
    async function unsure() {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.claim(messages(people), { run });
      const outcomes = ['unsure', 'done', 'done', 'done'] as const;
      await first.settle(messages(people).map((row, at) => ({ run, row, outcome: outcomes[at] ?? 'done' })));
      await first.close();
      return { machine, run };
    }

    it('are sent again by --retry-unsure, even if their run is finished', async () => {
      const { machine, run } = await unsure();
      const result = await sendAll(machine.start(), planOf(people, { retryUnsure: true }));
      expect(result).toMatchObject({ run, counts: { due: 1, done: 3 } });
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 0, done: 4 });
    });

    it('that are sent again from their own file are settled in the first run', async () => {
      const { machine, run } = await unsure();
      expect(stopOf(await machine.start().register(planOf('ada:1')))).toMatchObject({ reason: 'sent-before' });
      const result = await sendAll(machine.start(), planOf('ada:1', { retryUnsure: true }));
      expect(result.run).not.toBe(run);
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 0, withdrawn: 1 });
    });

    it('need --retry-unsure again in a later command', async () => {
      const { machine } = await unsure();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf('ada:1', { retryUnsure: true })));
      await first.close();
      expect(stopOf(await machine.start().register(planOf('ada:1')))).toMatchObject({ reason: 'sent-before', rows: 1 });
      expect(accepted(await machine.start().register(planOf('ada:1', { retryUnsure: true }))).run).toBe(run);
    });

    it("are settled by the user's findings", async () => {
      const { machine, run } = await unsure();
      expect(await machine.start().resolve(run, 'not-sent', (line) => line < 4)).toBe(1);
      expect(fatesIn(accepted(await machine.start().register(planOf(people))))).toEqual([
        'due',
        'done',
        'done',
        'done',
      ]);
    });

    it('accept a late outcome only from the process that sent them', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.claim(messages('ada:1 bob:1'), { run });
      machine.kill(first.pid);
      const second = machine.start();
      accepted(await second.register(planOf(people)));
      await second.settle([{ run, row: message('bob:1'), outcome: 'failed' }]);
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 2 });
      machine.revive(first.pid);
      await first.settle([
        { run, row: message('ada:1'), outcome: 'done' },
        { run, row: message('bob:1'), outcome: 'failed' },
      ]);
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 0, done: 1, failed: 1 });
      expect(await first.claim(messages('cyd:1'), { run })).toEqual([{ verdict: 'yours' }]);
    });
  });

  describe('an import', () => {
    const kind = 'contact' as const;

    it('of finished rows runs again, with a note', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf('ada:1 bob:1', { kind }));
      const result = await sendAll(machine.start(), planOf('ada:1 bob:1', { kind }));
      expect(result).toMatchObject({
        continues: false,
        counts: { due: 2 },
        notes: [{ note: 'imported-before', rows: 2 }],
      });
    });

    it('sends each different row of a contact once, in the order of the file', async () => {
      const result = await sendAll(createMachine().start(), planOf('1:Ada 1:Ava 1:Ada', { kind }));
      expect(fatesIn(result)).toEqual(['due', 'due', 'duplicate']);
    });

    it('skips each row that its job has imported, whatever the job imported later', async () => {
      const machine = createMachine();
      const job = { kind, job: 'people' };
      for (const text of ['1:Ada 2:Bob', '1:Ava']) await sendAll(machine.start(), planOf(text, job));
      expect(fatesIn(await sendAll(machine.start(), planOf('1:Ada 1:Ana', job)))).toEqual(['done', 'due']);
    });

    it('skips with --new-only each row that was imported, whatever was imported later', async () => {
      const machine = createMachine();
      for (const text of ['1:Ada 2:Bob', '1:Ava']) await sendAll(machine.start(), planOf(text, { kind }));
      const result = await sendAll(machine.start(), planOf('1:Ada 1:Ana', { kind, newOnly: true }));
      expect(fatesIn(result)).toEqual(['earlier', 'due']);
    });
  });

  describe('a single message', () => {
    const single = { account, mode: 'live', kind: 'message', template: 'welcome' } as const;
    const run = 'singles live profile:acme';

    it('is not sent twice within 10 minutes without --again', async () => {
      const machine = createMachine();
      const process = machine.start();
      const [row] = messages('ada:1');
      const send = (again: boolean) => process.claim(row ? [row] : [], { single, again });
      expect(await send(false)).toEqual([{ verdict: 'yours' }]);
      await process.settle([{ run, row: message('ada:1'), outcome: 'done' }]);
      expect(await send(false)).toMatchObject([{ verdict: 'elsewhere', run, state: 'done' }]);
      expect(await send(true)).toEqual([{ verdict: 'yours' }]);
      await process.settle([{ run, row: message('ada:1'), outcome: 'done' }]);
      machine.wait(10 * 60_000);
      expect(await send(false)).toEqual([{ verdict: 'yours' }]);
    });

    it('counts batches, and is counted by them', async () => {
      const machine = createMachine();
      const process = machine.start();
      await process.claim(messages('ada:1'), { single });
      await process.settle([{ run, row: message('ada:1'), outcome: 'done' }]);
      expect(stopOf(await machine.start().register(planOf(people)))).toMatchObject({ earlier: [{ run, rows: 1 }] });
      await sendAll(machine.start(), planOf(people, { newOnly: true }));
      expect(await process.claim(messages('bob:1'), { single })).toMatchObject([
        { verdict: 'elsewhere', state: 'done' },
      ]);
    });

    it('does not wait for planned rows, only for rows in flight', async () => {
      const machine = createMachine();
      const batch = machine.start();
      const { run } = accepted(await batch.register(planOf(people)));
      await batch.claim(messages('ada:1'), { run });
      const process = machine.start();
      expect(await process.claim(messages('ada:1'), { single })).toMatchObject([
        { verdict: 'taken', owner: { pid: batch.pid } },
      ]);
      expect(await process.claim(messages('bob:1'), { single })).toEqual([{ verdict: 'yours' }]);
      expect(await batch.claim(messages('bob:1'), { run })).toMatchObject([{ verdict: 'elsewhere', state: 'leaving' }]);
    });

    it('that is unsure needs --retry-unsure, at any age', async () => {
      const machine = createMachine();
      const process = machine.start();
      await process.claim(messages('ada:1'), { single });
      machine.kill(process.pid);
      machine.wait(40 * day);
      const next = machine.start();
      expect(await next.claim(messages('ada:1'), { single, again: true })).toMatchObject([{ verdict: 'unsure', run }]);
      expect(await next.claim(messages('ada:1'), { single, retryUnsure: true })).toEqual([{ verdict: 'yours' }]);
    });
  });

  describe('forgetting', () => {
    it('a run allows sending its rows again', async () => {
      const machine = createMachine();
      const process = machine.start();
      const { run } = await sendAll(process, planOf(people));
      const forget = async () => machine.start().forget({ run });
      await expect(forget()).rejects.toMatchObject({ code: 'run-active' });
      await process.close();
      await machine.start().forget({ run });
      expect(accepted(await machine.start().register(planOf(people))).counts.due).toBe(4);
    });

    it('a recipient allows sending to them again', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people));
      await machine
        .start()
        .forget({ people: { who: [message('ada:1').slice(0, 12)], per: message('ada:1').slice(12) } });
      const result = accepted(await machine.start().register(planOf(people, { newOnly: true })));
      expect(fatesIn(result)).toEqual(['due', 'earlier', 'earlier', 'earlier']);
    });
  });
});
