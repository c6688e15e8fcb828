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
  type PlanOptions,
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
      expect(await second.claim(messages('ada:1'), { run, retryUnsure: 'always' })).toEqual([{ verdict: 'yours' }]);
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
      const per = { perColumns: ['order'] };
      accepted(await first.register(planOf('ada:1:a ada:1:b ada:1:c ada:1:d bob:1:a cyd:1:a', per)));
      await first.close();
      expect(accepted(await machine.start().register(planOf('ada:1:a eve:1:a', per)))).toMatchObject({
        continues: false,
      });
    });

    it('continues the run of the same file, and of equal ones the latest', async () => {
      const machine = createMachine();
      for (const [rows, file] of [
        ['ada:1 bob:1', 'one.csv'],
        ['cyd:1 dan:1', 'two.csv'],
      ] as const) {
        const ledger = machine.start();
        accepted(await ledger.register(planOf(rows, { file })));
        await ledger.close();
      }
      const [one, two] = await machine.start().runs();
      const continued = async (file: string) => {
        const plan = planOf(people, { file: `/elsewhere/${file}`, isRehearsal: true });
        return accepted(await machine.start().register(plan)).run;
      };
      expect([await continued('one.csv'), await continued('two.csv'), await continued('three.csv')]).toEqual([
        one?.id,
        two?.id,
        two?.id,
      ]);
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

    it('asks with --again about an unfinished run, and continues that of --again with it', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.close();
      const second = machine.start();
      expect(stopOf(await second.register(planOf(people, { again: true })))).toMatchObject({
        reason: 'unfinished',
        run,
      });
      const again = accepted(await second.register(planOf(people, { again: true, besides: true })));
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
        const third = await machine.start().register(planOf(people, { kind, skipSent: day }));
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
      const result = accepted(await createMachine().start().register(planOf('ada:1 bob:1 ada:1 ada:1')));
      expect(fatesIn(result)).toEqual(['due', 'due', 'duplicate', 'duplicate']);
    });

    it('asks about several messages for one recipient, unless they are for several occasions', async () => {
      const machine = createMachine();
      const plan = (options: PlanOptions) => planOf('ada:1 bob:1 ada:2 ada:1', { isRehearsal: true, ...options });
      const register = async (options: PlanOptions) => machine.start().register(plan(options));
      expect(stopOf(await register({}))).toMatchObject({ reason: 'sent-before', rows: 0, conflicts: 1 });
      const first = ['due', 'due', 'conflict', 'duplicate'];
      for (const options of [{ skipSent: day }, { firstOfEach: true }, { mode: 'sandbox' }] as const)
        expect(fatesIn(accepted(await register(options)))).toEqual(first);
      const orders = planOf('ada:1:a bob:1:a ada:2:b ada:1:c', { perColumns: ['order'] });
      expect(accepted(await machine.start().register(orders)).counts.due).toBe(4);
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
      expect(stopOf(await machine.start().register(planOf('ada:2 bob:1 cyd:1 dan:1')))).toMatchObject({
        reason: 'sent-before',
        rows: 2,
        changed: 1,
        recent: 0,
        earlier,
      });
    });

    it('counts those who got another text a while ago apart', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf('ada:1 bob:1'));
      machine.wait(21 * hour);
      await sendAll(machine.start(), planOf('cyd:1'));
      const stop = stopOf(await machine.start().register(planOf('ada:2 bob:2 cyd:1 dan:1')));
      expect(stop).toMatchObject({ rows: 1, changed: 0, recent: 2 });
    });

    it('sends the other rows with --skip-sent, and says who has sent each', async () => {
      const machine = createMachine();
      const { run } = await sendAll(machine.start(), planOf('ada:1 bob:1'));
      const result = await sendAll(machine.start(), planOf('ada:2 bob:1 cyd:1 dan:1', { skipSent: day }));
      expect(fatesIn(result)).toEqual(['earlier', 'earlier', 'due', 'due']);
      expect([0, 1, 2].map((row) => result.elsewhere(row)?.run)).toEqual([run, run, undefined]);
    });

    it('leaves rows that a live process will send to it, with --skip-sent', async () => {
      const machine = createMachine();
      const first = machine.start();
      accepted(await first.register(planOf('ada:1 bob:1 cyd:1 dan:1 eve:1')));
      const plan = planOf('ada:1 gus:1', { skipSent: day });
      expect(fatesIn(accepted(await machine.start().register({ ...plan, isRehearsal: true })))).toEqual([
        'busy',
        'due',
      ]);
      machine.kill(first.pid);
      expect(fatesIn(accepted(await machine.start().register(plan)))).toEqual(['due', 'due']);
    });

    it('passes a reminder with another text after 20 hours, also if yesterday one row was unsure', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.claim(messages(people), { run });
      await first.settle(messages('bob:1 cyd:1 dan:1').map((row) => ({ run, row, outcome: 'done' })));
      machine.kill(first.pid);
      machine.wait(21 * hour);
      const next = await sendAll(machine.start(), planOf(people.replaceAll('1', '2')));
      expect(next).toMatchObject({ continues: false, counts: { due: 4 } });
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

    it('passes them after 27 days, if the clock is right', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people));
      machine.wait(27 * day - 5_000);
      const plan = planOf(people, { isClockRight: true, isRehearsal: true });
      expect((await machine.start().register(plan)).stop).toMatchObject({ rows: 4 });
      machine.wait(10_000);
      expect((await machine.start().register(plan)).stop).toBeUndefined();
      expect((await machine.start().register({ ...plan, isClockRight: false })).stop).toMatchObject({ rows: 4 });
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

    it.each<[string, PlanOptions]>([
      ['', {}],
      [' of a job', { job: 'may' }],
      [' of --again', { again: true }],
    ])('checks again at each claim%s', async (_, options) => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people, options)));
      const other = await sendAll(machine.start(), planOf('ada:2 eve:1 fay:1 gus:1', { again: true, besides: true }));
      expect(await first.claim(messages('ada:1 bob:1'), { run })).toMatchObject([
        { verdict: 'elsewhere', run: other.run, state: 'done' },
        { verdict: 'yours' },
      ]);
      expect(await countsOf(machine, run)).toMatchObject({ withdrawn: 1, leaving: 1, planned: 2 });
    });

    it('keeps a row planned that others took and left unsure', async () => {
      const machine = createMachine();
      const [first, second] = [machine.start(), machine.start()];
      const { run } = accepted(await first.register(planOf(people)));
      const other = accepted(await second.register(planOf('ada:2 eve:1 fay:1 gus:1', { again: true, besides: true })));
      await second.claim(messages('ada:2'), { run: other.run });
      expect(await first.claim(messages('ada:1'), { run })).toMatchObject([{ verdict: 'taken', run: other.run }]);
      await second.settle([{ run: other.run, row: message('ada:2'), outcome: 'unsure' }]);
      expect(await first.claim(messages('ada:1'), { run })).toMatchObject([{ verdict: 'elsewhere', state: 'unsure' }]);
      expect(await countsOf(machine, run)).toMatchObject({ planned: 4 });
    });

    it('counts another key of the same origin, if an account is only known by its key', async () => {
      const machine = createMachine();
      const byKey = { id: 'key:2', origin: account.origin, keyDigest: 'key:2' };
      await sendAll(machine.start(), planOf(people, { account: byKey }));
      expect((await machine.start().register(planOf(people))).stop).toMatchObject({ reason: 'sent-before', rows: 4 });
      const elsewhere = { ...account, origin: 'https://other.example.com' };
      expect((await machine.start().register(planOf(people, { account: elsewhere }))).stop).toBeUndefined();
    });

    it('asks about a new --job, which sends each row once under its name and then never asks', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf('ada:1 bob:1'));
      const monday = { job: 'monday' };
      expect(stopOf(await machine.start().register(planOf(people, monday)))).toMatchObject({ rows: 2 });
      const once = await sendAll(machine.start(), planOf(people, { ...monday, again: true }));
      expect(once.counts).toMatchObject({ due: 4 });
      machine.wait(100 * day);
      const again = await sendAll(machine.start(), planOf(`${people} eve:1`, monday));
      expect(again).toMatchObject({ run: once.run, counts: { done: 4, due: 1 } });
      const tuesday = stopOf(await machine.start().register(planOf(people, { job: 'tuesday' })));
      expect(tuesday).toMatchObject({ rows: 4, earlier: [{ job: 'monday' }] });
    });

    it('skips in a known job what others have sent, and keeps the time of --skip-sent', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf('ada:1'));
      machine.wait(2 * day);
      const job = { job: 'daily', skipSent: 4 * day };
      await sendAll(machine.start(), planOf('bob:1 cyd:1', job));
      await sendAll(machine.start(), planOf('dan:1'));
      machine.wait(day);
      const next = await sendAll(machine.start(), planOf('ada:2 bob:1 cyd:1 dan:2 eve:1', { job: 'daily' }));
      expect(fatesIn(next)).toEqual(['earlier', 'done', 'done', 'earlier', 'due']);
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
    const other = { id: 'profile:new', origin: account.origin, keyDigest: 'key:2' };

    it('stops before it continues the run of another account', async () => {
      const machine = createMachine();
      const { run } = accepted(await machine.start().register(planOf(people)));
      const second = machine.start();
      expect(stopOf(await second.register(planOf(people, { account: other })))).toEqual({ reason: 'other-key', run });
    });

    it('continues with --continue, which is needed only once', async () => {
      const machine = createMachine();
      const { run } = accepted(await machine.start().register(planOf(people)));
      const second = machine.start();
      expect(accepted(await second.register(planOf(people, { account: other, continue: true }))).run).toBe(run);
      expect(accepted(await machine.start().register(planOf(people, { account: other }))).run).toBe(run);
    });

    it('continues the run of the same key, whatever the profile', async () => {
      const machine = createMachine();
      const { run } = accepted(await machine.start().register(planOf(people)));
      const same = { ...other, keyDigest: account.keyDigest };
      expect(accepted(await machine.start().register(planOf(people, { account: same }))).run).toBe(run);
    });

    it('continues the job of an account that is known by its key alone', async () => {
      const machine = createMachine();
      const byKey = { ...account, id: account.keyDigest };
      const { run } = await sendAll(machine.start(), planOf(people, { job: 'welcome', account: byKey }));
      const plan = planOf(people, { job: 'welcome', account: other });
      expect(accepted(await machine.start().register(plan))).toMatchObject({ run, counts: { done: 4 } });
    });
  });

  describe('changed texts', () => {
    async function interrupted(options: PlanOptions = {}) {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people, options)));
      await first.claim(messages('ada:1 bob:1'), { run });
      await first.settle(messages('ada:1 bob:1').map((row) => ({ run, row, outcome: 'done' as const })));
      await first.close();
      return { machine, run };
    }

    it('are never sent to those who were reached; the others get the new text', async () => {
      const { machine, run } = await interrupted();
      const next = machine.start();
      const result = accepted(await next.register(planOf('ada:2 bob:1 cyd:2 dan:1')));
      expect([result.run, fatesIn(result)]).toEqual([run, ['changed', 'done', 'due', 'due']]);
      await next.claim(messages('cyd:2'), { run });
      await next.settle([{ run, row: message('cyd:2'), outcome: 'done' }]);
      await next.close();
      const last = accepted(await machine.start().register(planOf('ada:2 bob:1 cyd:2 dan:1')));
      expect(fatesIn(last)).toEqual(['changed', 'done', 'done', 'due']);
    });

    it('of most people stop a live command; with --continue the others get them', async () => {
      const { machine, run } = await interrupted();
      const text = 'ada:2 bob:2 cyd:2 dan:1';
      expect(stopOf(await machine.start().register(planOf(text)))).toEqual({ reason: 'other-texts', run });
      const next = machine.start();
      const result = accepted(await next.register(planOf(text, { continue: true })));
      expect([result.run, fatesIn(result)]).toEqual([run, ['changed', 'changed', 'due', 'due']]);
      // The unsent rows would say the new text now, so that the same command goes on.
      await next.close();
      expect(accepted(await machine.start().register(planOf(text, { continue: true }))).run).toBe(run);
    });

    it.each<[string, PlanOptions, number]>([
      ['20 hours later', {}, 20 * hour],
      ['with a sandbox key', { mode: 'sandbox' }, 0],
    ])('of most people are a new run %s, and the old one is closed', async (_, options, wait) => {
      const { machine, run } = await interrupted(options);
      machine.wait(wait);
      const result = accepted(await machine.start().register(planOf(people.replaceAll('1', '2'), options)));
      expect(result).toMatchObject({ continues: false, counts: { due: 4 } });
      expect(result.notes).toContainEqual({ note: 'replaced', run, rows: 2 });
      expect(await countsOf(machine, run)).toMatchObject({ done: 2, withdrawn: 2 });
    });

    it('of half of the input stop a job; with --continue it goes on', async () => {
      const { machine, run } = await interrupted({ job: 'daily' });
      const plan = (options: PlanOptions) => planOf('ada:2 bob:2 cyd:1 dan:1', { job: 'daily', ...options });
      const stop = stopOf(await machine.start().register(plan({})));
      expect(stop).toEqual({ reason: 'job-texts', job: 'daily', rows: 2 });
      const result = accepted(await machine.start().register(plan({ continue: true })));
      expect([result.run, fatesIn(result)]).toEqual([run, ['changed', 'changed', 'due', 'due']]);
    });

    it('are known to a process that reads an older file', async () => {
      const { machine, run } = await interrupted();
      const [one, two] = [machine.start(), machine.start()];
      await one.register(planOf(people));
      await two.register(planOf('ada:1 bob:1 cyd:2 dan:1'));
      await one.claim(messages('cyd:1'), { run });
      expect(await two.claim(messages('cyd:2'), { run })).toMatchObject([{ verdict: 'taken' }]);
      await one.settle([{ run, row: message('cyd:1'), outcome: 'done' }]);
      expect(await two.claim(messages('cyd:2'), { run })).toMatchObject([{ verdict: 'done', isChanged: true }]);
    });
  });

  describe('a job', () => {
    it('that is unfinished is named to a command that fits', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people, { job: 'may' })));
      await first.close();
      const stop = stopOf(await machine.start().register(planOf(people)));
      expect(stop).toEqual({ reason: 'job-unnamed', run, job: 'may' });
    });

    it('that was closed is refused', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people, { job: 'may' })));
      await first.close();
      await machine.start().closeRun(run);
      const stop = stopOf(await machine.start().register(planOf(people, { job: 'may' })));
      expect(stop).toEqual({ reason: 'job-closed', job: 'may' });
    });

    it('that repeats all rows while a run is unfinished asks', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.close();
      const plan = planOf(people, { job: 'may', again: true });
      expect(stopOf(await machine.start().register(plan))).toMatchObject({ reason: 'unfinished', run });
    });

    it('sends a row that was withdrawn from it and added again, unless a batch has sent it', async () => {
      const machine = createMachine();
      const first = machine.start();
      accepted(await first.register(planOf(people, { job: 'may' })));
      await first.close();
      const second = machine.start();
      accepted(await second.register(planOf('ada:1 bob:1', { job: 'may' })));
      await second.close();
      await sendAll(machine.start(), planOf('cyd:1'));
      const last = accepted(await machine.start().register(planOf(people, { job: 'may' })));
      expect(fatesIn(last)).toEqual(['due', 'due', 'earlier', 'due']);
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
      await first.endRun(run);
      await first.close();
      return { machine, run };
    }

    it('are sent again by --retry-unsure, even if their run is finished', async () => {
      const { machine, run } = await unsure();
      const result = await sendAll(machine.start(), planOf(people, { retryUnsure: 'always' }));
      expect(result).toMatchObject({ run, counts: { due: 1, done: 3 } });
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 0, done: 4 });
    });

    it('that the service refused to look at may be sent again at once, also by a script', async () => {
      const { machine, run } = await unsure();
      const ledger = machine.start();
      await ledger.register(planOf(people, { retryUnsure: 'daily' }));
      const claim = () => ledger.claim(messages('ada:1'), { run, retryUnsure: 'daily' });
      await claim();
      await ledger.settle([{ run, row: message('ada:1'), outcome: 'release' }]);
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 1 });
      expect(await claim()).toEqual([{ verdict: 'yours' }]);
    });

    it.each(['failed', 'unsure'] as const)('that are sent again stay unsure after: %s', async (outcome) => {
      const { machine, run } = await unsure();
      const plan = (retryUnsure: 'always' | 'daily') => planOf(people, { retryUnsure });
      const ledger = machine.start();
      await ledger.register(plan('daily'));
      await ledger.claim(messages('ada:1'), { run, retryUnsure: 'daily' });
      await ledger.settle([{ run, row: message('ada:1'), outcome }]);
      await ledger.endRun(run);
      await ledger.close();
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 1, done: 3 });
      const fates = async (retry: 'always' | 'daily') =>
        fatesIn(accepted(await machine.start().register({ ...plan(retry), isRehearsal: true })))[0];
      // A script sends them once a day.
      expect([await fates('daily'), await fates('always')]).toEqual(['unsure', 'due']);
      machine.wait(day);
      expect(await fates('daily')).toBe('due');
    });

    it('that are sent again from their own file are settled in the first run', async () => {
      const { machine, run } = await unsure();
      expect(stopOf(await machine.start().register(planOf('ada:1')))).toMatchObject({ reason: 'sent-before' });
      const result = await sendAll(machine.start(), planOf('ada:1', { retryUnsure: 'always' }));
      expect(result.run).not.toBe(run);
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 0, done: 4 });
    });

    it('that were corrected are held back by --skip-sent', async () => {
      const { machine } = await unsure();
      const result = accepted(await machine.start().register(planOf('ada:2 bob:1 eve:1', { skipSent: day })));
      expect(fatesIn(result)).toEqual(['unsure', 'earlier', 'due']);
      expect(result.notes).toMatchObject([{ note: 'held-back', rows: 1 }]);
    });

    it('need --retry-unsure again in a later command', async () => {
      const { machine } = await unsure();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf('ada:1', { retryUnsure: 'always' })));
      await first.close();
      expect(stopOf(await machine.start().register(planOf('ada:1')))).toMatchObject({ reason: 'sent-before', rows: 1 });
      expect(accepted(await machine.start().register(planOf('ada:1', { retryUnsure: 'always' }))).run).toBe(run);
    });

    it("are settled by the user's findings", async () => {
      const { machine, run } = await unsure();
      expect(await machine.start().resolve(run, 'not-sent', { isOn: (line) => line < 4 })).toBe(1);
      expect(await countsOf(machine, run)).toMatchObject({ unsure: 0, failed: 1, done: 3 });
      expect(accepted(await machine.start().register(planOf('ada:1'))).counts.due).toBe(1);
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

    it('skips what was imported within 30 days; --again imports all', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf('ada:1 bob:1', { kind }));
      const plan = (options: PlanOptions) => planOf('ada:1 bob:1', { kind, isRehearsal: true, ...options });
      const fates = async (options: PlanOptions) => fatesIn(accepted(await machine.start().register(plan(options))));
      expect(await fates({})).toEqual(['earlier', 'earlier']);
      expect(await fates({ again: true })).toEqual(['due', 'due']);
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
      await sendAll(machine.start(), planOf(people, { skipSent: day }));
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
      expect(await batch.claim(messages('bob:1'), { run })).toMatchObject([
        { verdict: 'taken', owner: { pid: process.pid } },
      ]);
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

    it('a recipient allows sending to them again, and names the jobs that have them', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people));
      const { run } = await sendAll(machine.start(), planOf(people, { job: 'may', again: true }));
      const ada = message('ada:1');
      const named = await machine.start().forget({ people: { who: [ada.slice(0, 12)], per: ada.slice(12, 24) } });
      expect(named.map(({ id }) => id)).toEqual([run]);
      const result = accepted(await machine.start().register(planOf(people, { skipSent: day })));
      expect(fatesIn(result)).toEqual(['due', 'earlier', 'earlier', 'earlier']);
    });

    it('is possible for the unsure rows of one person alone', async () => {
      const machine = createMachine();
      const first = machine.start();
      const { run } = accepted(await first.register(planOf(people)));
      await first.claim(messages(people), { run });
      machine.kill(first.pid);
      const ada = { who: [message('ada:1').slice(0, 12)], per: message('ada:1').slice(12, 24) };
      expect(await machine.start().resolve(run, 'sent', { people: ada })).toBe(1);
      expect(await countsOf(machine, run)).toMatchObject({ done: 1, unsure: 3 });
    });
  });
});
