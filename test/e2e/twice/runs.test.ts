import { describe, expect } from 'vitest';
import { alive } from '../../support/cli.ts';
import { corrected, day, hour, it, people, phoneOf } from './rig.ts';

const all = people(1, 200);

it('a list is left to an unfinished run that lives, and sent once that is dead', async ({ machine }) => {
  // Fewer than half of the first run's people, so it is a run of its own.
  const other = [...people(95, 160), ...people(201, 400)];
  machine.reply = ({ phone }) => (machine.service.asked.length < 84 || phone > phoneOf(200) ? 200 : 'hang');
  const isHalf = machine.arrived(100);
  const first = machine.start(all);
  await isHalf;
  await machine.sends({ sent: 200, code: 10 }, other, '--skip-sent', { name: 'other.csv' });
  alive(first.pid, 'SIGKILL');
  await first.ended;
  machine.reply = () => 200;
  const skipped = { unsure: 6 };
  await machine.sends({ sent: 60, code: 10, skipped }, other, '--skip-sent', { name: 'other.csv' });
  await machine.sends({ sent: 40, code: 10, skipped: { unsure: 16 } }, all, '--skip-sent');
});

describe('two unfinished runs with some people in common', () => {
  const first = { rows: all, name: 'people.csv', isRefused: true };
  const second = { rows: people(161, 400), name: 'other.csv', isRefused: true };

  // The first run has sent nothing to the second one's people.
  it.for([
    ['the first', [first, second]],
    ['the second', [{ ...second, isRefused: false }, first]],
  ] as const)('send to each person once, if %s is repeated first', async ([, repeated], { machine }) => {
    await machine.interrupted(80, first.rows);
    await machine.interrupted(10, second.rows, '', second);
    for (const { rows, name, isRefused } of repeated) {
      if (isRefused) await machine.refuses([/--skip-sent/], rows, '', { name });
      expect(await machine.batch(rows, isRefused ? '--skip-sent' : '', { name })).toMatchObject({ code: 0 });
    }
  });
});

describe('a job', () => {
  it.for([
    ['--skip-sent', 0, 1],
    ['--again', 200, 2],
  ] as const)('with the people of a batch needs a choice: %s', async ([choice, sent, times], { machine }) => {
    await machine.sends(200, all);
    await machine.refuses([/200 found/], all, '--job news');
    await machine.sends(sent, all, `--job news ${choice}`);
    machine.wait(day);
    await machine.sends(0, all, '--job news');
    machine.times = () => times;
  });

  it('tries failed rows again, and does not stop because they fail again', async ({ machine }) => {
    const rows = people(1, 60);
    machine.reply = ({ phone }) => (Number(phone.slice(-1)) % 2 === 0 ? 422 : 200);
    for (const sent of [30, 0]) {
      const { summary } = await machine.sends({ sent, code: 10 }, rows, '--job news --concurrency 1');
      expect(summary).toMatchObject({ failed: 30, not_reached: 0 });
    }
    machine.reply = () => 200;
    await machine.sends(30, rows, '--job news');
  });

  it('does not send a failed row that was sent by hand', async ({ machine }) => {
    machine.reply = ({ phone }) => (phone === all[4]?.phone ? 422 : 200);
    await machine.sends({ sent: 199, code: 10 }, all, '--job news');
    machine.reply = () => 200;
    expect((await machine.single(all[4])).code).toBe(0);
    await machine.sends(0, all, '--job news');
  });

  it.for([
    ['a day', [1]],
    ['a year', [120, 120, 110]],
  ] as const)('with a mistyped name is refused after %s, naming the right one', async ([, spans], { machine }) => {
    await machine.sends(10, people(1, 10), '--job welcome');
    for (const [at, days] of spans.entries()) {
      machine.wait(days * day);
      await machine.sends(1, people(1, 11 + at), '--job welcome');
    }
    await machine.refuses([/job "?welcome/], people(1, 11), '--job wellcome');
    await machine.sends(0, people(1, 11), '--job wellcome --skip-sent');
  });

  it('and a batch with the same people at the same time: one of them is refused', async ({ machine }) => {
    const both = await Promise.all([machine.start(all, '--job news').ended, machine.start(all).ended]);
    expect(both.map(({ code }) => code).toSorted((one, other) => one - other)).toEqual([0, 11]);
  });

  it('does not send to a person whom a batch reached', async ({ machine }) => {
    await machine.sends(100, all, '--job news --first 100');
    await machine.sends(1, people(150, 150), '', { name: 'one.csv' });
    await machine.sends(99, all, '--job news');
  });

  it('does not send to a person who was withdrawn from it and whom a batch reached', async ({ machine }) => {
    await machine.sends(100, all, '--job news --first 100');
    const { stderr } = await machine.sends(99, [...people(1, 149), ...people(151, 200)], '--job news');
    expect(stderr).toContain('1 row of this run will not be sent: the input no longer has it');
    await machine.sends(1, people(150, 150), '', { name: 'one.csv' });
    await machine.sends(0, all, '--job news');
  });

  it('is refused without its name, which the error has', async ({ machine }) => {
    const sent = await machine.interrupted(100, all, '--job news');
    await machine.refuses([/news/], all);
    await machine.sends(200 - sent, all, '--job news');
    await machine.refuses([/news/], all);
  });

  it.for([
    ['another template', '', '', 'goodbye', /welcome.*goodbye|goodbye.*welcome/s],
    ['another column for --per', '--per order', '--per date', 'welcome', /order.*date|date.*order/s],
    ['--per, which it did not have', '', '--per order', 'welcome', /order/],
    ['no --per, which it had', '--per order', '', 'welcome', /order/],
  ] as const)('with %s is a usage error', async ([, before, after, template, names], { machine }) => {
    const rows = people(1, 5, (number) => ({ order: `${number}`, date: `2026-05-0${number}` }));
    await machine.sends(5, rows, `--job news ${before}`);
    const { code, stderr } = await machine.batch(rows, `--job news ${after}`, { template });
    expect([code, stderr]).toEqual([2, expect.stringMatching(names)]);
  });

  it('of messages is a usage error for an import', async ({ machine }) => {
    await machine.sends(5, people(1, 5), '--job news');
    expect((await machine.load(people(1, 5), '--job news')).code).toBe(2);
  });

  it('sends to new people of a growing file for 401 days, to each once', async ({ machine }) => {
    for (const [at, days] of [0, 100, 100, 100, 100, 1].entries()) {
      machine.wait(days * day);
      await machine.sends(at === 0 ? 10 : 1, people(1, 10 + at), '--job welcome');
    }
  });

  it('that runs daily names --exclude-from when a person is forgotten', async ({ machine }) => {
    await machine.sends(200, all, '--job welcome');
    const { code, stdout, stderr } = await machine.run(['runs', 'forget', '--recipient', phoneOf(5), '--yes']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('--exclude-from')]);
    machine.wait(day);
    const file = machine.write(people(5, 5), 'exclude.csv');
    await machine.sends({ sent: 0, skipped: { excluded: 1 } }, all, `--job welcome --exclude-from ${file}`);
  });
});

describe('a morning batch that was interrupted, and an afternoon file with the same people and other texts', () => {
  const afternoon = corrected(all);

  it('is refused; --continue sends the rest, and those reached keep the first text', async ({ machine }) => {
    const sent = await machine.interrupted(100, all);
    machine.wait(5 * hour);
    await machine.refuses([/--continue/, /runs close/], afternoon);
    await machine.sends({ sent: 200 - sent, skipped: { changed: sent } }, afternoon, '--continue');
  });

  it('is a run of its own after runs close, which --skip-sent makes send to the others', async ({ machine }) => {
    const sent = await machine.interrupted(100, all);
    machine.wait(5 * hour);
    const { stdout: id } = await machine.run(['runs', 'list', '-o', 'id']);
    expect((await machine.run(['runs', 'close', id.trim()])).code).toBe(0);
    await machine.refuses([new RegExp(`${sent} found`)], afternoon);
    await machine.sends(200 - sent, afternoon, '--skip-sent');
  });

  it('is a question on a terminal, whose first answer sends nothing', async ({ machine }) => {
    const sent = await machine.interrupted(100, all);
    machine.wait(5 * hour);
    await machine.refuses([], afternoon, '', { answers: [/❯/] });
    machine.times = (number) => (number > sent ? 0 : 1);
  });

  it('is a new run with a note on the next day', async ({ machine }) => {
    await machine.interrupted(100, all);
    machine.wait(21 * hour);
    machine.times = () => [0, 1];
    await machine.nextOccasion();
    machine.times = () => 1;
    const { summary, stderr } = await machine.sends(200, afternoon);
    expect([summary.continues, stderr]).toEqual([false, expect.stringContaining('closed')]);
  });
});

it.for([
  ['the whole file, then --first 100', [10, '--first 10'], [190, '']],
  ['--first 100, then the whole file', [10, '--first 10'], [90, '--first 100'], [100, '']],
] as const)('--first 10, then %s: each person once', async ([, ...steps], { machine }) => {
  for (const [sent, words] of steps) await machine.sends(sent, all, words);
  for (const words of ['--first 100', '']) await machine.refuses([/200 found/], all, words);
});
