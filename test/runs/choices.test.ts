import { describe, expect, it } from 'vitest';
import {
  keys,
  type Machine,
  openMachine,
  people,
  person,
  summaryOf,
  type Result,
  rows,
  usualModes,
} from './matrix-rig.ts';

const all = people(1, rows);
const hour = 3_600_000;

/** 3 rows have been sent, and possibly those in flight. */
async function interrupted(machine: Machine, words: readonly string[] = []): Promise<Result> {
  const result = await machine.batch(machine.write(all), ['--concurrency', '2', ...words], { interruptAfter: 3 });
  expect(result).toMatchObject({ code: 130, error: 'interrupted' });
  return result;
}

describe.each(usualModes)('with a %s key', (mode) => {
  describe('--first', () => {
    it.concurrent('sends the first rows once; the same command without it sends the rest', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      const first = await machine.batch(file, ['--first', '5']);
      expect(first).toMatchObject({ code: 0, summary: { sent: 5, not_reached: rows - 5 } });
      expect(await machine.batch(file, ['--first', '5'])).toMatchObject({
        code: 0,
        summary: { sent: 0, not_reached: rows - 5, skipped: { this_run: 5 } },
      });
      expect([machine.reach(all.slice(0, 5)), machine.reach(all.slice(5))]).toEqual([{ 1: 5 }, { 0: rows - 5 }]);
      expect(await machine.batch(file, ['--first', '7'])).toMatchObject({ code: 0, summary: { sent: 2 } });
      expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { sent: rows - 7, continues: true } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });

    it.concurrent('continues after an interruption', async () => {
      await using machine = await openMachine(mode);
      const first = await interrupted(machine, ['--first', '8']);
      const file = machine.write(all);
      const { sent } = summaryOf(first);
      expect(await machine.batch(file, ['--first', '8'])).toMatchObject({ code: 0, summary: { sent: 8 - sent } });
      expect(machine.reach(all)).toEqual({ 0: rows - 8, 1: 8 });
      expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { sent: rows - 8 } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });
  });

  describe('--again', () => {
    const words = ['--job', 'second', '--again'];

    it.concurrent('sends a finished file once more under a new name, despite interruptions', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file);
      await interrupted(machine, words);
      await interrupted(machine, words);
      expect(await machine.batch(file, words)).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 2: rows });
      expect(await machine.batch(file, words)).toMatchObject({ code: 0, summary: { sent: 0 } });
      expect(machine.reach(all)).toEqual({ 2: rows });
    });

    it.concurrent('is kept by its job', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file);
      await interrupted(machine, words);
      expect(await machine.batch(file, words.slice(0, 2))).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 2: rows });
    });

    it.concurrent('is refused while a run with these rows is unfinished', async () => {
      await using machine = await openMachine(mode);
      const { run } = summaryOf(await interrupted(machine));
      const again = await machine.batch(machine.write(all), words);
      expect(again).toMatchObject({ code: 11, error: 'run-unfinished' });
      expect(again.text).toContain('without --job and --again the command sends the rest');
      expect(again.text).toContain(`runs close ${run}`);
    });

    it.concurrent('is refused for a job that was made without it', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file, ['--job', 'second']);
      expect(await machine.batch(file, words)).toMatchObject({ code: 11, error: 'job-known' });
    });
  });

  describe('--skip-sent', () => {
    it.concurrent('sends the new rows once, despite interruptions', async () => {
      await using machine = await openMachine(mode);
      const more = people(1, rows + 18);
      await machine.batch(machine.write(all));
      const file = machine.write(more);
      const words = ['--skip-sent', '--concurrency', '4'];
      for (let part = 0; part < 2; part++)
        expect(await machine.batch(file, words, { interruptAfter: 4 })).toMatchObject({ code: 130 });
      const last = await machine.batch(file, words);
      expect(last).toMatchObject({ code: 0, summary: { not_reached: 0, skipped: { earlier_run: rows } } });
      expect(machine.reach(more)).toEqual({ 1: rows + 18 });
      expect(await machine.batch(file, words)).toMatchObject({
        code: 0,
        summary: { skipped: { earlier_run: rows + 18 } },
      });
    });
  });

  describe('--expect-count and --at-most', () => {
    it.concurrent(
      'count input rows and rows to send, so the same command can be repeated after an interruption',
      async () => {
        await using machine = await openMachine(mode);
        const { not_reached: left } = summaryOf(await interrupted(machine, ['--expect-count', `${rows}`]));
        const file = machine.write(all);
        expect(await machine.batch(file, ['--expect-count', `${left}`])).toMatchObject({ code: 11, error: 'count' });
        const few = ['--at-most', `${left - 1}`];
        const refused = await machine.batch(file, few);
        expect(refused).toMatchObject({ code: 11, error: 'too-many-rows' });
        expect(refused.text).toContain(`give --at-most ${left}`);
        const words = ['--expect-count', `${rows}`, '--at-most', `${left}`];
        expect(await machine.batch(file, words)).toMatchObject({ code: 0, summary: { sent: left } });
        expect(machine.reach(all)).toEqual({ 1: rows });
      },
    );
  });

  describe('--job', () => {
    it.concurrent('sends each row of a growing list once, without a question', async () => {
      await using machine = await openMachine(mode);
      const words = ['--job', 'welcome', '--concurrency', '4'];
      for (const [to, interruptAfter] of [[5], [rows, 2], [rows], [rows + 8, 2], [2 * rows], [2 * rows]] as const)
        await machine.batch(machine.write(people(1, to), `until-${to}.csv`), words, {
          ...(interruptAfter !== undefined && { interruptAfter }),
        });
      expect(machine.reach(people(1, 2 * rows))).toEqual({ 1: 2 * rows });
      const last = await machine.batch(machine.write(people(1, 2 * rows)), words);
      expect(last).toMatchObject({ code: 0, summary: { sent: 0, skipped: { this_run: 2 * rows }, job: 'welcome' } });
    });

    it.concurrent('asks once about what others have sent, and keeps the answer', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file);
      const refused = await machine.batch(file, ['--job', 'monday']);
      expect(refused).toMatchObject({ code: 11, error: 'sent-before' });
      expect(refused.text).toMatch(/; --again sends all \d+ once more, for another occasion/);
      const more = machine.write(people(1, rows + 1));
      const first = await machine.batch(more, ['--job', 'monday', '--skip-sent']);
      expect(first).toMatchObject({ code: 0, summary: { sent: 1, skipped: { earlier_run: rows } } });
      expect(await machine.batch(more, ['--job', 'monday'])).toMatchObject({ code: 0, summary: { sent: 0 } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });

    it.concurrent('names another job first, since the name may be mistyped', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file, ['--job', 'welcome']);
      const refused = await machine.batch(file, ['--job', 'welcom']);
      expect(refused).toMatchObject({ code: 11, error: 'sent-before' });
      expect(refused.text).toContain('(job welcome, last at');
    });

    it.concurrent('that is unfinished is named to the same command without it', async () => {
      await using machine = await openMachine(mode);
      await interrupted(machine, ['--job', 'welcome']);
      const refused = await machine.batch(machine.write(all));
      expect(refused).toMatchObject({ code: 11, error: 'job-unnamed' });
      expect(refused.text).toContain('--job welcome sends the rest');
    });

    it.concurrent('with another template or other --per columns is a usage error', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file, ['--job', 'welcome']);
      const other = await machine.run([
        'send-batch',
        'bye',
        file,
        '--job',
        'welcome',
        '-o',
        'json',
        '--param=x',
        '--at-most',
        '99',
      ]);
      expect(other).toMatchObject({ code: 2, text: expect.stringContaining('template welcome') });
      const per = await machine.batch(file, ['--job', 'welcome', '--per', 'nick']);
      expect(per).toMatchObject({ code: 2, text: expect.stringMatching(/no --per.* --per nick/) });
    });

    it.concurrent('returns to rows that were missing from another list of the job', async () => {
      await using machine = await openMachine(mode);
      const [one, other] = [
        machine.write(people(1, rows), 'one.csv'),
        machine.write(people(rows + 1, 2 * rows), 'other.csv'),
      ];
      const words = ['--job', 'welcome', '--concurrency', '4'];
      await machine.batch(one, words, { interruptAfter: 4 });
      expect(await machine.batch(other, words)).toMatchObject({ code: 0, summary: { sent: rows } });
      expect(await machine.batch(one, words)).toMatchObject({ code: 0, summary: { not_reached: 0 } });
      expect(machine.reach(people(1, 2 * rows))).toEqual({ 1: 2 * rows });
    });
  });

  describe('corrected texts', () => {
    const corrected = all.map((row, at) => (at < 3 ? { ...row, name: `${row.name}!` } : row));

    it.concurrent('after an interruption go only to those who were not reached', async () => {
      await using machine = await openMachine(mode);
      await machine.batch(machine.write(all), ['--concurrency', '1'], { interruptAfter: 2 });
      const last = await machine.batch(machine.write(corrected));
      expect(last).toMatchObject({ code: 0, summary: { continues: true, sent: rows - 2, skipped: { changed: 2 } } });
      expect(machine.reach(corrected)).toEqual({ 0: 2, 1: rows - 2 });
    });

    it.runIf(mode === 'live')(
      'after the end stop the command, which counts them; with --skip-sent only a new person gets one',
      async () => {
        await using machine = await openMachine(mode);
        await machine.batch(machine.write(all));
        const file = machine.write([...corrected, person(rows + 1)]);
        const refused = await machine.batch(file);
        expect(refused).toMatchObject({ code: 11, error: 'sent-before' });
        expect(refused.text).toContain(`${rows} found, 3 of them with another text now`);
        const last = await machine.batch(file, ['--skip-sent']);
        expect(last).toMatchObject({ code: 0, summary: { sent: 1, skipped: { earlier_run: rows } } });
        expect(machine.service.sent).toHaveLength(rows + 1);
      },
    );

    it.runIf(mode === 'live')('of all people after an interruption need --continue', async () => {
      await using machine = await openMachine(mode);
      const { sent, run } = summaryOf(await interrupted(machine));
      const file = machine.write(all);
      const words = ['--param-column', 'nick', '--concurrency', '2'];
      const refused = await machine.batch(file, words);
      expect(refused).toMatchObject({ code: 11, error: 'run-with-other-texts' });
      expect(refused.text).toContain(`runs close ${run}`);
      expect(await machine.batch(file, [...words, '--continue'], { interruptAfter: 4 })).toMatchObject({ code: 130 });
      const last = await machine.batch(file, words);
      expect(last).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)[1]).toBe(sent);
      expect(machine.service.sent).toHaveLength(rows);
    });
  });

  describe('another key', () => {
    const other = keys[mode].second;

    it.runIf(mode === 'live')(
      'in the environment is refused after an interruption; --continue accepts it',
      async () => {
        await using machine = await openMachine(mode);
        await interrupted(machine);
        machine.env = { ...machine.env, BIZMSG_API_KEY: other };
        const file = machine.write(all);
        const second = await machine.batch(file);
        expect(second).toMatchObject({ code: 11, error: 'run-of-other-account' });
        for (const option of ['--continue', 'bizmsg runs close']) expect(second.text).toContain(option);
        const words = ['--continue', '--concurrency', '2'];
        expect(await machine.batch(file, words, { interruptAfter: 2 })).toMatchObject({ code: 130 });
        expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { continues: true } });
        expect(machine.reach(all)).toEqual({ 1: rows });
      },
    );

    it.concurrent('in the environment continues a job', async () => {
      await using machine = await openMachine(mode);
      const words = ['--job', 'welcome'];
      await interrupted(machine, words);
      machine.env = { ...machine.env, BIZMSG_API_KEY: other };
      expect(await machine.batch(machine.write(all), words)).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });

    it.concurrent('of the account in BIZMSG_ACCOUNT continues without a question', async () => {
      await using machine = await openMachine(mode);
      machine.env = { ...machine.env, BIZMSG_ACCOUNT: 'acme' };
      await interrupted(machine);
      machine.env = { ...machine.env, BIZMSG_API_KEY: other };
      expect(await machine.batch(machine.write(all))).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });

    it.runIf(mode === 'live')('after one that was refused halfway continues with --continue', async () => {
      await using machine = await openMachine(mode);
      const { service } = machine;
      service.treat = () => (service.sent.length < 6 ? 'sent' : 'key-refused');
      const file = machine.write(all);
      const first = await machine.batch(file, ['--concurrency', '4']);
      expect(first).toMatchObject({ code: 4, summary: { sent: 6, failed: 0, unsure: 0, not_reached: rows - 6 } });
      service.treat = () => 'sent';
      machine.env = { ...machine.env, BIZMSG_API_KEY: other };
      expect(first.text).toContain('--continue');
      expect(await machine.batch(file, ['--continue'])).toMatchObject({ code: 0, summary: { sent: rows - 6 } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });

    it.concurrent('of a profile continues without a question', async () => {
      await using machine = await openMachine(mode);
      machine.env = {};
      const add = ['profiles', 'add', 'acme', '--base-url', machine.service.url, '--key-stdin'];
      expect(await machine.run([...add, '-o', 'json'], { stdin: `${keys[mode].first}\n` })).toMatchObject({ code: 0 });
      const live = ['keys', 'switch-mode', 'live', '--profile', 'acme', '--yes', '-o', 'json'];
      if (mode === 'live') await machine.run(live);
      const words = ['--profile', 'acme', '--mode', mode];
      await interrupted(machine, words);
      const set = ['keys', 'set', '--key-stdin', '--profile', 'acme', '-o', 'json'];
      expect(await machine.run(set, { stdin: `${other}\n` })).toMatchObject({ code: 0 });
      expect(await machine.batch(machine.write(all), words)).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });
  });
});

describe('another live key', () => {
  it.concurrent.each([
    ['without BIZMSG_ACCOUNT', {}, 11],
    ['of an account that BIZMSG_ACCOUNT names', { BIZMSG_ACCOUNT: 'acme' }, 11],
  ])('%s is refused after the end of a run', async (_, env, code) => {
    await using machine = await openMachine('live');
    const file = machine.write(all);
    await machine.batch(file);
    machine.env = { ...machine.env, ...env, BIZMSG_API_KEY: keys.live.second };
    expect(await machine.batch(file)).toMatchObject({ code, error: 'sent-before' });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('of another account, by BIZMSG_ACCOUNT, is another sender', async () => {
    await using machine = await openMachine('live');
    const file = machine.write(all);
    machine.env = { ...machine.env, BIZMSG_ACCOUNT: 'one' };
    await machine.batch(file);
    machine.env = { ...machine.env, BIZMSG_ACCOUNT: 'other', BIZMSG_API_KEY: keys.live.second };
    expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { sent: rows } });
    expect(machine.reach(all)).toEqual({ 2: rows });
  });
});

it.concurrent('a batch that was sent to 127.0.0.1 is refused for localhost', async () => {
  await using machine = await openMachine('live');
  const file = machine.write(all);
  await machine.batch(file);
  machine.env = { ...machine.env, BIZMSG_BASE_URL: machine.service.url.replace('127.0.0.1', 'localhost') };
  expect(await machine.batch(file)).toMatchObject({ code: 11, error: 'sent-before' });
  expect(machine.reach(all)).toEqual({ 1: rows });
});

describe('a run that was idle', () => {
  const after = (hours: number) => ({ now: () => Date.now() + hours * hour });

  it.concurrent('for 13 hours is continued with a live key only with --continue', async () => {
    await using machine = await openMachine('live');
    await interrupted(machine);
    const file = machine.write(all);
    const second = await machine.batch(file, [], after(13));
    expect(second).toMatchObject({ code: 11, error: 'run-idle' });
    for (const option of ['--continue', 'bizmsg runs close']) expect(second.text).toContain(option);
    expect(await machine.batch(file, ['--continue'], after(13))).toMatchObject({ code: 0 });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('for 13 hours is continued with a sandbox key', async () => {
    await using machine = await openMachine('sandbox');
    await interrupted(machine);
    expect(await machine.batch(machine.write(all), [], after(13))).toMatchObject({ code: 0 });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('for 13 hours is continued if it is a job', async () => {
    await using machine = await openMachine('live');
    await interrupted(machine, ['--job', 'welcome']);
    const last = await machine.batch(machine.write(all), ['--job', 'welcome'], after(13));
    expect([last.code, machine.reach(all)]).toEqual([0, { 1: rows }]);
  });

  it.concurrent('for 8 days is closed: its rows count as sent, and --skip-sent sends the others', async () => {
    await using machine = await openMachine('live');
    const { sent } = summaryOf(await interrupted(machine));
    const file = machine.write(all);
    expect(await machine.batch(file, [], after(8 * 24))).toMatchObject({ code: 11, error: 'sent-before' });
    const last = await machine.batch(file, ['--skip-sent'], after(8 * 24));
    expect(last).toMatchObject({ code: 0, summary: { continues: false, skipped: { earlier_run: sent } } });
    expect(last.notes).toContain('run');
    expect(machine.reach(all)).toEqual({ 1: rows });
  });
});
