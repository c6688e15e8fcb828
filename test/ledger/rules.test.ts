import { describe, expect, it } from 'vitest';
import {
  accepted,
  account,
  createMachine,
  day,
  fatesIn,
  hour,
  message,
  messages,
  planOf,
  rowOf,
  sendAll,
  stopOf,
} from './rig.ts';

const people = 'ada:1 bob:1 cyd:1 dan:1';

describe('rule 1: the same command again', () => {
  it('continues the run and skips sent rows', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.claim(messages('ada:1 bob:1'), { run });
    first.settle([
      { run, row: message('ada:1'), outcome: 'done' },
      { run, row: message('bob:1'), outcome: 'release' },
    ]);
    first.close();
    const again = accepted(machine.start().register(planOf(people)));
    expect(again).toMatchObject({ run, continues: true });
    expect(fatesIn(again)).toEqual(['done', 'due', 'due', 'due']);
  });

  it('counts rows in flight of a dead process as unsure', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.claim(messages('ada:1'), { run });
    machine.dead.add(first.pid);
    const second = machine.start();
    expect(fatesIn(accepted(second.register(planOf(people))))).toEqual(['unsure', 'due', 'due', 'due']);
    expect(second.claim(messages('ada:1'), { run })).toMatchObject([{ verdict: 'unsure', run }]);
    expect(second.claim(messages('ada:1'), { run, retryUnsure: true })).toEqual([{ verdict: 'yours' }]);
  });

  it('continues a longer, sorted file, and withdraws removed rows', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.close();
    const longer = accepted(machine.start().register(planOf('eve:1 cyd:1 bob:1 ada:1')));
    expect(longer).toMatchObject({ run, continues: true, notes: [{ note: 'withdrawn', rows: 1 }] });
    expect(machine.book.runs.get(run)?.counts).toMatchObject({ planned: 4, withdrawn: 1 });
  });

  it('does not continue the run if fewer than half of its recipients occur', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.close();
    const other = accepted(machine.start().register(planOf('ada:1 eve:1 fay:1')));
    expect(other).toMatchObject({ continues: false });
    expect(other.run).not.toBe(run);
  });

  it('counts each recipient once, with any number of messages', () => {
    const machine = createMachine();
    const first = machine.start();
    accepted(first.register(planOf('ada:1 ada:2 ada:3 ada:4 bob:1 cyd:1')));
    first.close();
    expect(accepted(machine.start().register(planOf('ada:1 eve:1')))).toMatchObject({ continues: false });
  });

  it('continues the latest of several runs', () => {
    const machine = createMachine();
    const first = machine.start();
    const one = accepted(first.register(planOf('ada:1 bob:1')));
    first.close();
    const two = accepted(machine.start().register(planOf('ada:1 cyd:1', { again: true })));
    expect(two.run).not.toBe(one.run);
    expect(accepted(machine.start().register(planOf(people)))).toMatchObject({ run: two.run });
  });

  it('joins a running one, and leaves rows that only the other process has', () => {
    const machine = createMachine();
    const { run } = accepted(machine.start().register(planOf(people)));
    const joined = accepted(machine.start().register(planOf('ada:1 bob:1')));
    expect(joined).toMatchObject({ run, notes: [{ note: 'joined', run }] });
    expect(machine.book.runs.get(run)?.counts).toMatchObject({ planned: 4, withdrawn: 0 });
  });

  it('asks about a live run that was idle for more than 12 hours', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.close();
    machine.now += 12 * hour + 1;
    const second = machine.start();
    const idle = 12 * hour + 1;
    expect(stopOf(second.register(planOf(people)))).toEqual({ reason: 'idle', run, idle, left: 4 });
    expect(accepted(second.register(planOf(people, { continue: true })))).toMatchObject({ run });
  });

  it('starts a separate run with --again, and continues that run with --again', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.close();
    const second = machine.start();
    const again = accepted(second.register(planOf(people, { again: true })));
    expect(again.run).not.toBe(run);
    second.close();
    expect(accepted(machine.start().register(planOf(people, { again: true })))).toMatchObject({ run: again.run });
  });

  it.each(['message', 'contact'] as const)('completes a run of kind %s that was killed after its last row', (kind) => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = sendAll(first, planOf(people, { kind }));
    machine.dead.add(first.pid);
    const second = machine.start();
    expect(accepted(second.register(planOf(people, { kind })))).toMatchObject({ run, counts: { done: 4 } });
    second.close();
    const third = machine.start().register(planOf(people, { kind, newOnly: true }));
    expect(accepted(third).run).not.toBe(run);
  });

  it('does not complete a finished run half a day after the kill', () => {
    const machine = createMachine();
    const first = machine.start();
    sendAll(first, planOf(people));
    machine.dead.add(first.pid);
    machine.now += 12 * hour + 1;
    expect(stopOf(machine.start().register(planOf(people)))).toMatchObject({ reason: 'sent-before', rows: 4 });
  });

  it('closes a run after 7 idle days, with a note', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.close();
    machine.now += 7 * day;
    const next = accepted(machine.start().register(planOf(people)));
    expect(next).toMatchObject({ continues: false, notes: [{ note: 'closed', run, rows: 4 }] });
    expect(machine.book.runs.get(run)).toMatchObject({ isClosed: true, counts: { planned: 0, withdrawn: 4 } });
  });

  it('does not continue a closed run', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.close();
    machine.start().closeRun(run);
    expect(accepted(machine.start().register(planOf(people)))).toMatchObject({ continues: false });
  });

  it('registers all rows with --first, sends the first of them once, and the others without it', () => {
    const machine = createMachine();
    const once = sendAll(machine.start(), planOf(people, { first: 2 }));
    expect(fatesIn(once)).toEqual(['due', 'due', 'later', 'later']);
    expect(fatesIn(sendAll(machine.start(), planOf(people, { first: 2 })))).toEqual(['done', 'done', 'later', 'later']);
    expect(fatesIn(sendAll(machine.start(), planOf(people)))).toEqual(['done', 'done', 'due', 'due']);
  });

  it('retries failed rows, but not twice in one command', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.claim(messages('ada:1'), { run });
    first.settle([{ run, row: message('ada:1'), outcome: 'failed' }]);
    expect(first.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'failed' }]);
    const second = machine.start();
    expect(fatesIn(accepted(second.register(planOf(people))))).toEqual(['retry', 'due', 'due', 'due']);
    expect(second.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'yours' }]);
    second.settle([{ run, row: message('ada:1'), outcome: 'failed' }]);
    expect(second.claim(messages('ada:1'), { run })).toEqual([{ verdict: 'failed' }]);
  });

  it('skips duplicate rows of the input', () => {
    const machine = createMachine();
    const result = accepted(machine.start().register(planOf('ada:1 bob:1 ada:1 ada:2 ada:1')));
    expect(fatesIn(result)).toEqual(['due', 'due', 'duplicate', 'due', 'duplicate']);
    expect(result.counts).toMatchObject({ due: 3, duplicate: 2 });
  });

  it('refuses to send more rows than --at-most, and registers nothing', () => {
    const machine = createMachine();
    expect(stopOf(machine.start().register(planOf(people, { atMost: 3 })))).toEqual({ reason: 'too-many', rows: 4 });
    expect(machine.book.runs.size).toBe(0);
    expect(accepted(machine.start().register(planOf(people, { atMost: 4 }))).counts.due).toBe(4);
  });

  it('registers nothing in a dry run', () => {
    const machine = createMachine();
    const result = accepted(machine.start().register(planOf(people, { isRehearsal: true })));
    expect(result.counts.due).toBe(4);
    expect(machine.book.entries.count()).toBe(0);
  });
});

describe('rule 2: rows that another run has sent', () => {
  it('stops with a live key, and reports how many, when and by which run', () => {
    const machine = createMachine();
    const { run } = sendAll(machine.start(), planOf('ada:1 bob:1'));
    const at = machine.now;
    machine.now += hour;
    const earlier = [{ run, job: undefined, at, host: undefined, rows: 2, unsure: 0 }];
    expect(stopOf(machine.start().register(planOf(people)))).toEqual({ reason: 'sent-before', rows: 2, earlier });
  });

  it('sends the other rows with --new-only', () => {
    const machine = createMachine();
    sendAll(machine.start(), planOf('ada:1 bob:1'));
    const result = sendAll(machine.start(), planOf(people, { newOnly: true }));
    expect(fatesIn(result)).toEqual(['earlier', 'earlier', 'due', 'due']);
  });

  it('sends all rows with --again', () => {
    const machine = createMachine();
    sendAll(machine.start(), planOf(people));
    const result = accepted(machine.start().register(planOf(people, { again: true })));
    expect(result.counts.due).toBe(4);
  });

  it('only prints a note with a sandbox key', () => {
    const machine = createMachine();
    const { run } = sendAll(machine.start(), planOf(people, { mode: 'sandbox' }));
    const result = accepted(machine.start().register(planOf(people, { mode: 'sandbox' })));
    expect(result.counts.due).toBe(4);
    const stop = { reason: 'sent-before', rows: 4, earlier: [{ run, rows: 4 }] };
    expect(result.notes).toMatchObject([{ note: 'would-stop', stop }]);
  });

  it('forgets them after 30 days', () => {
    const machine = createMachine();
    sendAll(machine.start(), planOf(people));
    machine.now += 30 * day - 1_000;
    expect(machine.start().register(planOf(people)).stop).toMatchObject({ rows: 4 });
    machine.now += 2_000;
    expect(machine.start().register(planOf(people)).stop).toBeUndefined();
  });

  it('counts planned rows of a live process, but not of a dead one', () => {
    const machine = createMachine();
    const first = machine.start();
    accepted(first.register(planOf('ada:1 bob:1 cyd:1 dan:1 eve:1')));
    expect(stopOf(machine.start().register(planOf('ada:1')))).toMatchObject({ reason: 'sent-before', rows: 1 });
    machine.dead.add(first.pid);
    accepted(machine.start().register(planOf('ada:1')));
  });

  it('checks again at each claim', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    const other = sendAll(machine.start(), planOf('ada:1 eve:1 fay:1 gus:1', { again: true }));
    const rule = { run };
    expect(first.claim(messages('ada:1 bob:1'), rule)).toMatchObject([
      { verdict: 'elsewhere', run: other.run, state: 'done' },
      { verdict: 'yours' },
    ]);
    expect(machine.book.runs.get(run)?.counts).toMatchObject({ withdrawn: 1, leaving: 1, planned: 2 });
  });

  it('counts another key of the same origin, if an account is only known by its key', () => {
    const machine = createMachine();
    const byKey = { id: 'key:1', origin: account.origin, isKeyDigest: true };
    sendAll(machine.start(), planOf(people, { account: byKey }));
    expect(machine.start().register(planOf(people)).stop).toMatchObject({ reason: 'sent-before', rows: 4 });
    const elsewhere = { ...account, origin: 'https://other.example.com' };
    expect(machine.start().register(planOf(people, { account: elsewhere })).stop).toBeUndefined();
  });

  it('does not ask with --job, which sends each row once under its name', () => {
    const machine = createMachine();
    sendAll(machine.start(), planOf('ada:1 bob:1'));
    const once = sendAll(machine.start(), planOf(people, { job: 'monday' }));
    expect(once.counts).toMatchObject({ due: 4 });
    machine.now += 100 * day;
    const again = sendAll(machine.start(), planOf(`${people} eve:1`, { job: 'monday' }));
    expect(again).toMatchObject({ run: once.run, counts: { done: 4, due: 1 } });
    expect(sendAll(machine.start(), planOf(people, { job: 'tuesday' })).counts).toMatchObject({ due: 4 });
  });

  it('continues a run started with --again without counting what it repeats', () => {
    const machine = createMachine();
    sendAll(machine.start(), planOf(people));
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people, { again: true })));
    first.close();
    const next = machine.start();
    expect(accepted(next.register(planOf(people)))).toMatchObject({ run, counts: { due: 4 } });
    expect(next.claim(messages(people), { run }).every(({ verdict }) => verdict === 'yours')).toBe(true);
  });
});

describe('another key', () => {
  const other = { id: 'profile:new', origin: account.origin, isKeyDigest: false };

  it('stops before it continues the run of another account', () => {
    const machine = createMachine();
    const { run } = accepted(machine.start().register(planOf(people)));
    const second = machine.start();
    const stop = { reason: 'other-account', run, account: account.id };
    expect(stopOf(second.register(planOf(people, { account: other })))).toEqual(stop);
    expect(accepted(second.register(planOf(people, { account: other, again: true }))).run).not.toBe(run);
  });

  it('continues with --continue, which is needed only once', () => {
    const machine = createMachine();
    const { run } = accepted(machine.start().register(planOf(people)));
    const second = machine.start();
    expect(accepted(second.register(planOf(people, { account: other, continue: true }))).run).toBe(run);
    expect(accepted(machine.start().register(planOf(people, { account: other }))).run).toBe(run);
  });

  it('stops before it continues the job of another account', () => {
    const machine = createMachine();
    const { run } = sendAll(machine.start(), planOf(people, { job: 'welcome' }));
    const plan = planOf(people, { job: 'welcome', account: other });
    expect(stopOf(machine.start().register(plan))).toMatchObject({ reason: 'other-account', run });
  });
});

describe('edited rows', () => {
  function interrupted() {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.claim(messages('ada:1 bob:1'), { run });
    first.settle(messages('ada:1 bob:1').map((row) => ({ run, row, outcome: 'done' as const })));
    first.close();
    return { machine, run };
  }

  it('stop the command', () => {
    const { machine, run } = interrupted();
    const stop = stopOf(machine.start().register(planOf('eve:2 ada:2 bob:2 cyd:2 dan:2')));
    expect(stop).toEqual({ reason: 'edited', run, row: 1, rows: 2 });
  });

  it('are skipped or sent as the user decides', () => {
    const { machine } = interrupted();
    const text = 'ada:2 bob:1 cyd:2 dan:2';
    const skipped = accepted(machine.start().register(planOf(text, { changed: 'skip', isRehearsal: true })));
    expect(fatesIn(skipped)).toEqual(['changed', 'done', 'due', 'due']);
    const sent = accepted(machine.start().register(planOf(text, { changed: 'send', isRehearsal: true })));
    expect(fatesIn(sent)).toEqual(['due', 'done', 'due', 'due']);
  });

  it('are not a second order of the same customer', () => {
    const { machine, run } = interrupted();
    expect(accepted(machine.start().register(planOf(`${people} ada:2`)))).toMatchObject({ run, counts: { due: 3 } });
  });

  it('do not stop a job', () => {
    const machine = createMachine();
    sendAll(machine.start(), planOf(people, { job: 'daily' }));
    expect(accepted(machine.start().register(planOf('ada:2 bob:2', { job: 'daily' }))).counts.due).toBe(2);
  });
});

describe('unsure rows', () => {
  function unsure() {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.claim(messages(people), { run });
    const outcomes = ['unsure', 'done', 'done', 'done'] as const;
    first.settle(messages(people).map((row, at) => ({ run, row, outcome: outcomes[at] ?? 'done' })));
    first.close();
    return { machine, run };
  }

  it('are sent again by --retry-unsure, even if their run is finished', () => {
    const { machine, run } = unsure();
    const result = sendAll(machine.start(), planOf(people, { retryUnsure: true }));
    expect(result).toMatchObject({ run, counts: { due: 1, done: 3 } });
    expect(machine.book.runs.get(run)?.counts).toMatchObject({ unsure: 0, done: 4 });
  });

  it('that are sent again from their own file are settled in the first run', () => {
    const { machine, run } = unsure();
    expect(stopOf(machine.start().register(planOf('ada:1')))).toMatchObject({ reason: 'sent-before' });
    const result = sendAll(machine.start(), planOf('ada:1', { retryUnsure: true }));
    expect(result.run).not.toBe(run);
    expect(machine.book.runs.get(run)?.counts).toMatchObject({ unsure: 0, withdrawn: 1 });
  });

  it('need --retry-unsure again in a later command', () => {
    const { machine } = unsure();
    const first = machine.start();
    const { run } = accepted(first.register(planOf('ada:1', { retryUnsure: true })));
    first.close();
    expect(stopOf(machine.start().register(planOf('ada:1')))).toMatchObject({ reason: 'sent-before', rows: 1 });
    expect(accepted(machine.start().register(planOf('ada:1', { retryUnsure: true }))).run).toBe(run);
  });

  it("are settled by the user's findings", () => {
    const { machine, run } = unsure();
    expect(machine.start().resolve(run, 'not-sent', messages('ada:1 bob:1'))).toBe(1);
    expect(fatesIn(accepted(machine.start().register(planOf(people))))).toEqual(['due', 'done', 'done', 'done']);
  });

  it('accept a late outcome only from the process that sent them', () => {
    const machine = createMachine();
    const first = machine.start();
    const { run } = accepted(first.register(planOf(people)));
    first.claim(messages('ada:1 bob:1'), { run });
    machine.dead.add(first.pid);
    const second = machine.start();
    accepted(second.register(planOf(people)));
    second.settle([{ run, row: message('bob:1'), outcome: 'failed' }]);
    expect(machine.book.runs.get(run)?.counts).toMatchObject({ unsure: 2 });
    machine.dead.delete(first.pid);
    first.settle([
      { run, row: message('ada:1'), outcome: 'done' },
      { run, row: message('bob:1'), outcome: 'failed' },
    ]);
    expect(machine.book.runs.get(run)?.counts).toMatchObject({ unsure: 0, done: 1, failed: 1 });
    expect(first.claim(messages('cyd:1'), { run })).toEqual([{ verdict: 'yours' }]);
    expect(machine.book.owners.size).toBe(3);
  });
});

describe('an import', () => {
  const kind = 'contact' as const;

  it('of finished rows runs again, with a note', () => {
    const machine = createMachine();
    sendAll(machine.start(), planOf('ada:1 bob:1', { kind }));
    const result = sendAll(machine.start(), planOf('ada:1 bob:1', { kind }));
    expect(result).toMatchObject({
      continues: false,
      counts: { due: 2 },
      notes: [{ note: 'imported-before', rows: 2 }],
    });
  });

  it('sends all changes of a contact in order: Ada, Ava, Ada', () => {
    const machine = createMachine();
    const plan = planOf('1:Ada 1:Ava 1:Ada 1:Ada', { kind });
    const result = sendAll(machine.start(), plan);
    expect(fatesIn(result)).toEqual(['due', 'due', 'due', 'duplicate']);
    expect(machine.book.runs.get(result.run)?.counts).toMatchObject({ done: 3, planned: 0 });
  });

  it('continues after the last completed change', () => {
    const machine = createMachine();
    const plan = planOf('1:Ada 1:Ava 1:Ada 2:Bob', { kind });
    const first = machine.start();
    const { run } = accepted(first.register(plan));
    for (const row of [rowOf(plan, 0), rowOf(plan, 1)]) {
      first.claim([row], { run });
      first.settle([{ run, row, outcome: 'done' }]);
    }
    first.close();
    expect(fatesIn(sendAll(machine.start(), plan))).toEqual(['done', 'done', 'due', 'due']);
  });

  it('sends a contact again if the job has changed it since', () => {
    const machine = createMachine();
    const job = { kind, job: 'people' };
    for (const text of ['1:Ada', '1:Ava', '1:Ada'])
      expect(sendAll(machine.start(), planOf(text, job)).counts).toMatchObject({ due: 1 });
    expect(sendAll(machine.start(), planOf('1:Ada', job)).counts).toMatchObject({ due: 0, done: 1 });
  });

  it('skips with --new-only rows that another import has sent, unless they were changed since', () => {
    const machine = createMachine();
    for (const text of ['1:Ada 2:Bob', '1:Ava']) sendAll(machine.start(), planOf(text, { kind }));
    const result = sendAll(machine.start(), planOf('1:Ada 2:Bob', { kind, newOnly: true }));
    expect(fatesIn(result)).toEqual(['due', 'earlier']);
  });
});

describe('a single message', () => {
  const single = { account, mode: 'live', kind: 'message', template: 'welcome' } as const;
  const run = 'singles live profile:acme';

  it('is not sent twice within 10 minutes without --again', () => {
    const machine = createMachine();
    const process = machine.start();
    const [row] = messages('ada:1');
    const send = (again: boolean) => process.claim(row ? [row] : [], { single, again });
    expect(send(false)).toEqual([{ verdict: 'yours' }]);
    process.settle([{ run, row: message('ada:1'), outcome: 'done' }]);
    expect(send(false)).toMatchObject([{ verdict: 'elsewhere', run, state: 'done' }]);
    expect(send(true)).toEqual([{ verdict: 'yours' }]);
    process.settle([{ run, row: message('ada:1'), outcome: 'done' }]);
    machine.now += 10 * 60_000;
    expect(send(false)).toEqual([{ verdict: 'yours' }]);
  });

  it('counts batches, and is counted by them', () => {
    const machine = createMachine();
    const process = machine.start();
    process.claim(messages('ada:1'), { single });
    process.settle([{ run, row: message('ada:1'), outcome: 'done' }]);
    expect(stopOf(machine.start().register(planOf(people)))).toMatchObject({ earlier: [{ run, rows: 1 }] });
    sendAll(machine.start(), planOf(people, { newOnly: true }));
    expect(process.look(message('bob:1'), { single })).toMatchObject({ verdict: 'elsewhere', state: 'done' });
  });

  it('does not wait for planned rows, only for rows in flight', () => {
    const machine = createMachine();
    const batch = machine.start();
    const { run } = accepted(batch.register(planOf(people)));
    batch.claim(messages('ada:1'), { run });
    const process = machine.start();
    expect(process.claim(messages('ada:1'), { single })).toMatchObject([
      { verdict: 'taken', owner: { pid: batch.pid } },
    ]);
    expect(process.claim(messages('bob:1'), { single })).toEqual([{ verdict: 'yours' }]);
    expect(batch.claim(messages('bob:1'), { run })).toMatchObject([{ verdict: 'elsewhere', state: 'leaving' }]);
  });

  it('that is unsure needs --retry-unsure, at any age', () => {
    const machine = createMachine();
    const process = machine.start();
    process.claim(messages('ada:1'), { single });
    machine.dead.add(process.pid);
    machine.now += 40 * day;
    const next = machine.start();
    expect(next.claim(messages('ada:1'), { single, again: true })).toMatchObject([{ verdict: 'unsure', run }]);
    expect(next.claim(messages('ada:1'), { single, retryUnsure: true })).toEqual([{ verdict: 'yours' }]);
  });
});

describe('forgetting', () => {
  it('a run allows sending its rows again', () => {
    const machine = createMachine();
    const process = machine.start();
    const { run } = sendAll(process, planOf(people));
    expect(() => machine.start().forget({ run })).toThrow(expect.objectContaining({ code: 'run-active' }));
    process.close();
    machine.start().forget({ run });
    expect(accepted(machine.start().register(planOf(people))).counts.due).toBe(4);
  });

  it('a recipient allows sending to them again', () => {
    const machine = createMachine();
    sendAll(machine.start(), planOf(people));
    machine.start().forget({ seconds: [message('ada:1').slice(12)] });
    const result = accepted(machine.start().register(planOf(people, { newOnly: true })));
    expect(fatesIn(result)).toEqual(['due', 'earlier', 'earlier', 'earlier']);
  });
});
