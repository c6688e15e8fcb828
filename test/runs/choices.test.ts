import { describe, expect, it } from 'vitest';
import { keys, type Machine, openMachine, people, summaryOf, type Result, rows, usualModes } from './matrix-rig.ts';

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
    it.concurrent('sends a finished file once more, despite interruptions', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file);
      await interrupted(machine, ['--again']);
      await interrupted(machine, ['--again']);
      expect(await machine.batch(file, ['--again'])).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 2: rows });
      expect(await machine.batch(file, ['--again'])).toMatchObject({
        code: 0,
        summary: { continues: false, sent: rows },
      });
      expect(machine.reach(all)).toEqual({ 3: rows });
    });

    it.concurrent('is continued by the same command without it', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file);
      await interrupted(machine, ['--again']);
      expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 2: rows });
    });

    it.concurrent('starts a separate run next to an unfinished one', async () => {
      await using machine = await openMachine(mode);
      const first = await interrupted(machine);
      const file = machine.write(all);
      const again = await machine.batch(file, ['--again']);
      expect(again).toMatchObject({ code: 0, summary: { continues: false, sent: rows } });
      const { sent } = summaryOf(first);
      expect(machine.reach(all)).toEqual({ 1: rows - sent, 2: sent });
    });
  });

  describe('--new-only', () => {
    it.concurrent('sends the new rows once, despite interruptions', async () => {
      await using machine = await openMachine(mode);
      const more = people(1, rows + 18);
      await machine.batch(machine.write(all));
      const file = machine.write(more);
      const words = ['--new-only', '--concurrency', '4'];
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

    it.concurrent('skips rows of an unfinished run that a job sent, which are still in the input', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file, ['--first', '5']);
      await machine.batch(file, ['--job', 'weekly']);
      const { summary, notes } = await machine.batch(file, ['--new-only']);
      expect(summary).toMatchObject({ continues: true, sent: 0, skipped: { this_run: 5, earlier_run: rows - 5 } });
      expect(notes).not.toContain('run');
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

    it.concurrent('sends once more under another name, and ignores other runs', async () => {
      await using machine = await openMachine(mode);
      const file = machine.write(all);
      await machine.batch(file);
      for (const name of ['monday', 'tuesday', 'tuesday'])
        expect(await machine.batch(file, ['--job', name])).toMatchObject({ code: 0 });
      expect(machine.reach(all)).toEqual({ 3: rows });
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

  describe('an edited mapping after an interruption', () => {
    const edited = ['--param-column', 'nick', '--concurrency', '2'];
    const messages = all.map((row) => ({ ...row, name: row.nick ?? '' }));

    it.concurrent('is refused', async () => {
      await using machine = await openMachine(mode);
      const { sent } = summaryOf(await interrupted(machine));
      const second = await machine.batch(machine.write(all), edited);
      expect(second).toMatchObject({ code: 11, error: 'rows-edited', summary: undefined });
      for (const option of ['--changed skip', '--changed send', '--again']) expect(second.text).toContain(option);
      expect(second.text).toContain(`${sent} rows were changed after run`);
      expect(machine.reach(messages)).toEqual({ 0: rows });
    });

    it.concurrent('skips recipients served by the run with --changed skip, despite interruptions', async () => {
      await using machine = await openMachine(mode);
      const { sent } = summaryOf(await interrupted(machine));
      const words = [...edited, '--changed', 'skip'];
      const file = machine.write(all);
      expect(await machine.batch(file, words, { interruptAfter: 4 })).toMatchObject({ code: 130 });
      const last = await machine.batch(file, words);
      expect(last).toMatchObject({ code: 0, summary: { not_reached: 0, skipped: { changed: sent } } });
      expect([machine.reach(all), machine.reach(messages)]).toEqual([
        { 0: rows - sent, 1: sent },
        { 0: sent, 1: rows - sent },
      ]);
    });

    it.concurrent('sends the new message to all with --changed send, despite interruptions', async () => {
      await using machine = await openMachine(mode);
      const { sent } = summaryOf(await interrupted(machine));
      const words = [...edited, '--changed', 'send'];
      const file = machine.write(all);
      expect(await machine.batch(file, words, { interruptAfter: 4 })).toMatchObject({ code: 130 });
      expect(await machine.batch(file, words)).toMatchObject({ code: 0, summary: { not_reached: 0 } });
      expect([machine.reach(all), machine.reach(messages)]).toEqual([{ 0: rows - sent, 1: sent }, { 1: rows }]);
    });

    it.concurrent('is a separate run with --again, and the first one can still be finished', async () => {
      await using machine = await openMachine(mode);
      await interrupted(machine);
      const file = machine.write(all);
      expect(await machine.batch(file, [...edited, '--again'])).toMatchObject({ code: 0, summary: { sent: rows } });
      expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { continues: true } });
      expect([machine.reach(all), machine.reach(messages)]).toEqual([{ 1: rows }, { 1: rows }]);
    });
  });

  describe('another key', () => {
    const other = keys[mode].second;

    it.concurrent('in the environment is refused after an interruption; --continue accepts it', async () => {
      await using machine = await openMachine(mode);
      await interrupted(machine);
      machine.env = { ...machine.env, BIZMSG_API_KEY: other };
      const file = machine.write(all);
      const second = await machine.batch(file);
      expect(second).toMatchObject({ code: 11, error: 'run-of-other-account' });
      for (const option of ['--continue', '--again']) expect(second.text).toContain(option);
      const words = ['--continue', '--concurrency', '2'];
      expect(await machine.batch(file, words, { interruptAfter: 2 })).toMatchObject({ code: 130 });
      expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { continues: true } });
      expect(machine.reach(all)).toEqual({ 1: rows });
    });

    it.concurrent('in the environment starts a separate run with --again', async () => {
      await using machine = await openMachine(mode);
      const { sent } = summaryOf(await interrupted(machine));
      machine.env = { ...machine.env, BIZMSG_API_KEY: other };
      const again = await machine.batch(machine.write(all), ['--again']);
      expect(again).toMatchObject({ code: 0, summary: { continues: false, sent: rows } });
      expect(machine.reach(all)).toEqual({ 1: rows - sent, 2: sent });
    });

    it.concurrent('in the environment is refused for a job; --continue accepts it', async () => {
      await using machine = await openMachine(mode);
      await interrupted(machine, ['--job', 'welcome']);
      machine.env = { ...machine.env, BIZMSG_API_KEY: other };
      const file = machine.write(all);
      const words = ['--job', 'welcome'];
      expect(await machine.batch(file, words)).toMatchObject({ code: 11, error: 'run-of-other-account' });
      expect(await machine.batch(file, [...words, '--continue'])).toMatchObject({ code: 0 });
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

    it.concurrent('after one that was refused halfway continues with --continue', async () => {
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
    for (const option of ['--continue', '--again']) expect(second.text).toContain(option);
    expect(await machine.batch(file, ['--continue'], after(13))).toMatchObject({ code: 0 });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('for 13 hours is not continued with --again', async () => {
    await using machine = await openMachine('live');
    const { sent } = summaryOf(await interrupted(machine));
    const again = await machine.batch(machine.write(all), ['--again'], after(13));
    expect(again).toMatchObject({ code: 0, summary: { continues: false, sent: rows } });
    expect(machine.reach(all)).toEqual({ 1: rows - sent, 2: sent });
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

  it.concurrent('for 8 days is closed: its rows count as sent, and --new-only sends the others', async () => {
    await using machine = await openMachine('live');
    const { sent } = summaryOf(await interrupted(machine));
    const file = machine.write(all);
    expect(await machine.batch(file, [], after(8 * 24))).toMatchObject({ code: 11, error: 'sent-before' });
    const last = await machine.batch(file, ['--new-only'], after(8 * 24));
    expect(last).toMatchObject({ code: 0, summary: { continues: false, skipped: { earlier_run: sent } } });
    expect(last.notes).toContain('run');
    expect(machine.reach(all)).toEqual({ 1: rows });
  });
});
