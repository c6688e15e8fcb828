import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/ledger/file/check.ts';
import type { FileLedger } from '../../src/ledger/file/file-ledger.ts';
import type { SingleTerms } from '../../src/ledger/ledger.ts';
import { accepted, account, day, message, messages, openLedger, planOf, stopOf, temporaryFolder } from './rig.ts';

const single: SingleTerms = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } };
const begin = Date.UTC(2026, 2, 4, 12);

describe('a ledger after 30 days', () => {
  it('removes the segments of expired runs, and keeps what still counts', async () => {
    const machine = createDays();
    const done = await machine.send('ada:1 bob:1');
    const unsure = await machine.send('cyd:1 dan:1', 'unsure');
    await machine.single('eve:1');
    machine.now += 20 * day;
    await machine.single('fay:1');
    expect(machine.segments()).toHaveLength(2);
    const removed = join(machine.folder, machine.segments()[0] ?? '');
    machine.now += 15 * day;
    await machine.single('gil:1');
    await machine.singleNextDay('hal:1');
    expect(machine.segments()).toEqual(['2026-03-24.ndjson', '2026-04-08.ndjson', '2026-04-09.ndjson']);
    for (const isFirst of [true, false]) {
      if (isFirst) rmSync(join(machine.folder, 'table'), { force: true });
      const ledger = machine.open();
      const runs = await ledger.runs();
      expect(runs.map(({ id }) => id)).not.toContain(done);
      expect(runs.find(({ id }) => id === unsure)).toMatchObject({ counts: { unsure: 2, done: 0 } });
      expect(await ledger.look(message('cyd:1'), single)).toMatchObject({ verdict: 'unsure', run: unsure });
      expect(await ledger.look(message('ada:1'), single)).toEqual({ verdict: 'yours' });
      const again = planOf('eve:1 fay:1 gil:1 ada:1');
      expect(stopOf(await ledger.register({ ...again, isRehearsal: true }))).toMatchObject({ rows: 2 });
      await ledger.close();
      expect(() => checkLedger(machine.folder)).not.toThrow();
    }
    // A power cut left some of a segment that is no longer read.
    writeFileSync(removed, 'a part\n');
    expect(() => checkLedger(machine.folder)).not.toThrow();
  });

  it('can still resolve unsure rows, and forgets them 30 days later', async () => {
    const machine = createDays();
    const run = await machine.send('ada:1 bob:1 cyd:1', 'unsure');
    machine.now += 31 * day;
    await machine.single('eve:1');
    await machine.singleNextDay('fay:1');
    expect(machine.segments()).toHaveLength(2);
    const ledger = machine.open();
    expect(await ledger.resolve(run, 'sent', [message('bob:1')])).toBe(1);
    expect(await ledger.resolve(run, 'not-sent', messages('ada:1 cyd:1'))).toBe(2);
    await ledger.close();
    const counts = { done: 1, released: 2, unsure: 0 };
    expect(await machine.runs()).toContainEqual(
      expect.objectContaining({ id: run, counts: expect.objectContaining(counts) }),
    );
    for (const days of [1, 31, 1]) {
      machine.now += days * day;
      await machine.single(`p${machine.now}:1`);
    }
    expect((await machine.runs()).map(({ id }) => id)).toEqual([expect.stringContaining('singles')]);
  });

  it('still has everything after one command under a clock that is years ahead', async () => {
    const machine = createDays();
    await machine.send('ada:1 bob:1');
    machine.now += 900 * day;
    await machine.single('eve:1');
    machine.now -= 899 * day;
    await machine.single('fay:1');
    const ledger = machine.open();
    const stop = stopOf(await ledger.register({ ...planOf('ada:1 bob:1 cyd:1'), isRehearsal: true }));
    expect(stop).toMatchObject({ reason: 'sent-before', rows: 2 });
    await ledger.close();
  });

  it('still stops a batch with rows that are unsure', async () => {
    const machine = createDays();
    await machine.send('ada:1', 'unsure');
    machine.now += 31 * day;
    await machine.single('eve:1');
    await machine.singleNextDay('fay:1');
    const ledger = machine.open();
    const stop = stopOf(await ledger.register({ ...planOf('ada:1 bob:1'), isRehearsal: true }));
    expect(stop).toMatchObject({ reason: 'sent-before', rows: 1 });
    await ledger.close();
  });

  it('keeps a run that sent some rows recently', async () => {
    const machine = createDays();
    const ledger = machine.open();
    const { run } = accepted(await ledger.register(planOf('ada:1 bob:1')));
    for (const row of messages('ada:1 bob:1')) {
      await ledger.claim([row], { run });
      await ledger.settle([{ run, row, outcome: 'done' }]);
      machine.now += 25 * day;
    }
    await ledger.close();
    await machine.single('eve:1');
    expect(machine.segments()).toHaveLength(3);
    expect(await machine.runs()).toContainEqual(expect.objectContaining({ id: run }));
  });

  it('keeps a job for 400 days without its old segments', async () => {
    const machine = createDays();
    const run = await machine.send('ada:1 bob:1', 'done', { job: 'welcome' });
    await machine.send('cyd:1');
    for (let month = 0; month < 12; month++) {
      machine.now += 31 * day;
      await machine.single(`p${month}:1`);
    }
    expect(machine.segments()).toHaveLength(2);
    const ledger = machine.open();
    const plan = planOf('ada:1 bob:1 dan:1', { job: 'welcome' });
    expect(await ledger.register(plan)).toMatchObject({ run, continues: true, counts: { done: 2, due: 1 } });
    await ledger.claim(messages('dan:1'), { run });
    await ledger.settle([{ run, row: message('dan:1'), outcome: 'done' }]);
    await ledger.close();
    machine.now += 401 * day;
    await machine.single('eve:1');
    machine.now += day;
    await machine.single('fay:1');
    expect((await machine.runs()).map(({ id }) => id)).not.toContain(run);
  });

  it('does not grow with its age', { timeout: 60_000 }, async () => {
    const machine = createDays();
    const sizes: number[] = [];
    for (let at = 0; at < 60; at++) {
      machine.now += day;
      await machine.single(`p${at}:1`);
      sizes.push(machine.size());
    }
    expect(machine.segments()).toHaveLength(31);
    expect(sizes[59] ?? Infinity).toBeLessThan((sizes[35] ?? 0) * 1.1);
  });

  it.each([
    ['is missing', (path: string) => rmSync(path)],
    ['is truncated', (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(/\n[^\n]*\n$/, '\n'))],
    [
      'has a changed byte',
      (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('unsure', 'unsurf')),
    ],
  ])('is refused if the rest of the old segments %s', async (_, harm) => {
    const machine = createDays();
    await machine.send('ada:1', 'unsure');
    machine.now += 31 * day;
    await machine.single('eve:1');
    await machine.singleNextDay('fay:1');
    expect(await machine.runs()).toHaveLength(2);
    harm(join(machine.folder, 'past.ndjson'));
    rmSync(join(machine.folder, 'table'), { force: true });
    await expect(machine.runs()).rejects.toMatchObject({ exit: 'configuration', code: 'journal-damaged' });
  });
});

/** A ledger and a clock, with a new process for each call. */
function createDays() {
  const folder = temporaryFolder();
  const days = {
    folder,
    now: begin,
    open: (): FileLedger => openLedger(folder, { now: () => days.now }),
    async send(people: string, outcome: 'done' | 'unsure' = 'done', options = {}): Promise<string> {
      const ledger = days.open();
      const { run } = accepted(await ledger.register(planOf(people, options)));
      await ledger.claim(messages(people), { run });
      await ledger.settle(messages(people).map((row) => ({ run, row, outcome })));
      await ledger.endRun(run);
      await ledger.close();
      return run;
    },
    async single(person: string): Promise<void> {
      const ledger = days.open();
      const [row] = [message(person)];
      expect(await ledger.claim([row], single)).toEqual([{ verdict: 'yours' }]);
      await ledger.settle([{ run: 'singles live profile:acme', row, outcome: 'done' }]);
      await ledger.close();
    },
    async singleNextDay(person: string): Promise<void> {
      days.now += day;
      await days.single(person);
    },
    async runs() {
      const ledger = days.open();
      try {
        return await ledger.runs();
      } finally {
        await ledger.close();
      }
    },
    segments: () =>
      readdirSync(folder)
        .filter((name) => /^\d.*\.ndjson$/.test(name))
        .sort(),
    size: () => readdirSync(folder).reduce((sum, name) => sum + sizeOf(join(folder, name)), 0),
  };
  return days;
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
