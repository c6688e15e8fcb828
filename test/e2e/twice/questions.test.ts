import { describe, expect } from 'vitest';
import type { Answer } from '../../support/conversation.ts';
import { corrected, hour, it, people } from './rig.ts';

const all = people(1, 200);
const type = (count: number): Answer => [new RegExp(`Type ${count} `), `${count}`];

describe('the question before people get a template again', () => {
  const fixed = corrected(people(1, 220), 3, 50, 170);

  it.for([
    ['nobody', 11, [/❯.*nobody/i], 0, [1, 0]],
    ['the others only', 0, [/❯.*others/i, type(20)], 20, [1, 1]],
    ['all once more', 0, [/❯.*once more/i, type(220)], 220, [2, 1]],
  ] as const)('has the answer: %s', async ([, code, answers, sent, [known, added]], { machine }) => {
    await machine.sends(200, all);
    const asked = await machine.batch(fixed, '', { answers });
    expect([asked.code, asked.summary?.sent ?? 0]).toEqual([code, sent]);
    expect(asked.stderr).toMatch(/200.*3 of them/s);
    machine.times = (number) => (number <= 200 ? known : added);
  });

  it('left open while cron sends, then answered, sends to each person once', async ({ machine }) => {
    const cron = () => machine.sends(200, all).then(() => '200');
    await machine.batch(all, '', { answers: [[/Type 200 /, cron], /❯.*nobody/i] });
    expect(machine.service.asked).toHaveLength(200);
  });
});

it('the number is typed before people get it once more, however few they are', async ({ machine }) => {
  await machine.sends(3, people(1, 3));
  const answers = [/❯.*once more/i, type(4)] as const;
  await machine.sends(4, people(1, 4), '', { answers });
  machine.times = (number) => (number === 4 ? 1 : 2);
});

describe('--again on a terminal', () => {
  it('may send all besides an unfinished run', async ({ machine }) => {
    await machine.interrupted(50, all);
    await machine.sends(200, all, '--again', { answers: [/❯.*besides/i, type(200)] });
    machine.times = () => [1, 2];
  });

  it('needs no job, continues after Ctrl-C, and asks first after 13 hours', async ({ machine }) => {
    await machine.sends(200, all);
    let left = 200;
    for (const _ of [1, 2]) left -= await machine.interrupted(50, all, '--again', { answers: [type(left)] });
    machine.wait(13 * hour);
    await machine.refuses([], all, '--again', { answers: [/❯/] });
    await machine.sends(left, all, '--again --continue', { answers: [type(left)] });
    machine.times = () => 2;
  });

  it('asks if it is typed to continue an interrupted run', async ({ machine }) => {
    const sent = await machine.interrupted(50, all);
    await machine.refuses([], all, '--again', { answers: [/❯/] });
    await machine.sends(200 - sent, all);
  });
});

describe('--again in a script', () => {
  it('is refused without a job; with one, a wrapper that repeats it sends to each once more', async ({ machine }) => {
    await machine.sends(200, all);
    await machine.refuses([/--job/], all, '--again');
    for (const _ of [1, 2]) await machine.killed(30, all, '--job again --again');
    await machine.sends({ sent: 108, code: 10, skipped: { unsure: 32 } }, all, '--job again --again');
    await machine.sends({ sent: 0, code: 10 }, all, '--job again --again');
    machine.times = () => 2;
  });

  it.for([
    ['a batch', '', /without --job and --again .*sends the rest/],
    ['a job', '--job news', /--job news/],
  ] as const)('for a run that %s left unfinished is refused', async ([, words, hint], { machine }) => {
    const sent = await machine.interrupted(50, all, words);
    await machine.refuses([hint, /runs close/], all, '--job again --again');
    await machine.sends(200 - sent, all, words);
  });

  it('with the name of a job that was made without it is refused', async ({ machine }) => {
    await machine.sends(200, all, '--job news');
    await machine.refuses([/another name/], all, '--job news --again');
  });
});
