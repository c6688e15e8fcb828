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

    it('does not count another account', async () => {
      const machine = createMachine();
      await sendAll(machine.start(), planOf(people, { account: 'https://other.example.com' }));
      expect((await machine.start().register(planOf(people))).stop).toBeUndefined();
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

    it('of half of the input stop a job; with --continue it goes on', async () => {
      const { machine, run } = await interrupted({ job: 'daily' });
      const plan = (options: PlanOptions) => planOf('ada:2 bob:2 cyd:1 dan:1', { job: 'daily', ...options });
      const stop = stopOf(await machine.start().register(plan({})));
      expect(stop).toEqual({ reason: 'job-texts', job: 'daily', rows: 2 });
      const result = accepted(await machine.start().register(plan({ continue: true })));
      expect([result.run, fatesIn(result)]).toEqual([run, ['changed', 'changed', 'due', 'due']]);
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

    it('skips each row that its job has imported, whatever the job imported later', async () => {
      const machine = createMachine();
      const job = { kind, job: 'people' };
      for (const text of ['1:Ada 2:Bob', '1:Ava']) await sendAll(machine.start(), planOf(text, job));
      expect(fatesIn(await sendAll(machine.start(), planOf('1:Ada 1:Ana', job)))).toEqual(['done', 'due']);
    });
  });

  describe('a single message', () => {
    const single = { account, mode: 'live', kind: 'message', template: 'welcome' } as const;

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
