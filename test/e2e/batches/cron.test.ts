import { describe, expect } from 'vitest';
import { later } from '../../support/cli.ts';
import { isLong } from '../../support/long-tests.ts';
import { people } from './people.ts';
import { day, hour, it, type Machine } from './rig.ts';

const all = people(1, 40);

describe('a weekly text by cron', () => {
  const words = '--batch news-{week} --again';

  it.for([
    ['another text each week', (week: number) => `Issue-${week}`],
    ['the same text each week', () => 'Hello'],
  ] as const)('with %s: each line repeated twice, each person gets it once a week', async ([, text], { machine }) => {
    for (let week = 1; week <= 8; week++) {
      const typed = `${words} -p :name -p ${text(week)}`;
      expect(await machine.send(all, typed)).toMatchObject({ code: 0, is_new: true, sent: 40, now: { sent: 40 } });
      for (const _ of [1, 2])
        expect(await machine.send(all, typed)).toMatchObject({ code: 0, is_new: false, sent: 40, now: { sent: 0 } });
      expect(machine.tally()).toEqual({ [week]: 40 });
      machine.wait(7 * day);
    }
  });

  it('that was stopped goes on with the same line, and nobody gets it twice', async ({ machine }) => {
    for (const week of [1, 2]) {
      const typed = `${words} -p :name -p Hello`;
      const { sent } = await machine.interrupted(10, all, typed);
      expect(await machine.send(all, typed)).toMatchObject({ code: 0, sent: 40, now: { sent: 40 - sent } });
      expect(machine.tally()).toEqual({ [week]: 40 });
      machine.wait(7 * day);
    }
  });
});

describe('a growing file by cron, for 500 days', { timeout: 600_000 }, () => {
  const days = 500;
  const words = '--batch welcome';

  it('daily: each person gets it once', async ({ machine }) => {
    for (let today = 1; today <= days; today++) {
      const sent = await machine.send(people(1, today), words);
      expect(sent, `day ${today}`).toMatchObject({ code: 0, rows: today, sent: today, now: { sent: 1 } });
      machine.wait(day);
    }
    expect(machine.tally()).toEqual({ 1: days });
  });

  const hours = isLong ? 8 : 2;

  async function cron(machine: Machine, from: number, to: number): Promise<void> {
    for (let today = from; today <= to; today++) {
      for (let time = 1; time <= hours; time++) {
        const ended = await machine.send(people(1, today), words);
        expect(ended, `day ${today}, ${time}`).toMatchObject({ code: 0, rows: today, sent: today });
        machine.wait(hour);
      }
      machine.wait((24 - hours) * hour);
    }
  }

  it(`hourly, ${hours} times a day, once killed: each person gets it once`, async ({ machine }) => {
    await cron(machine, 1, 249);
    await machine.killed(1, people(1, 250), words);
    expect(await machine.send(people(1, 250), words)).toMatchObject({ code: 10, unsure: 1, now: { sent: 0 } });
    expect((await machine.run('batches mark welcome --sent')).code).toBe(0);
    await cron(machine, 250, days);
    expect(machine.tally()).toEqual({ 1: days });
  });
});

/** Makes two minutes pass in a second. */
const hurried = {
  later: (milliseconds: number, run: () => void) => later(milliseconds / 200, run),
  steady: () => performance.now() * 200,
};

describe('hourly files of new people, with an outage between', () => {
  const delta = (number: number) => people(10 * number + 1, 10 * number + 10);

  /** The file of the second hour meets a service that cannot be reached. */
  async function upToOutage(machine: Machine, words: string): Promise<void> {
    await machine.send(delta(0), words);
    machine.wait(hour);
    machine.service.close();
    const outage = await machine.send(delta(1), words, hurried);
    expect(outage).toMatchObject({ code: 9, waiting: 10, now: { sent: 0 } });
    await machine.service.reopen();
    machine.wait(hour);
  }

  it('under one name: those of the outage wait, exit 10 until they are resumed', async ({ machine }) => {
    const words = '--batch orders';
    await upToOutage(machine, words);
    for (const number of [2, 3]) {
      expect(await machine.send(delta(number), words)).toMatchObject({ code: 10, others: 10, now: { sent: 10 } });
      machine.wait(hour);
    }
    expect(await machine.resume('orders')).toMatchObject({ code: 0, now: { sent: 10 } });
    expect(await machine.send(delta(4), words)).toMatchObject({ code: 0, others: 0, now: { sent: 10 } });
    expect(machine.tally()).toEqual({ 1: 50 });
  });

  it('under a name for each hour: those of the outage wait in theirs', async ({ machine }) => {
    const words = '--batch orders-{hour}';
    await upToOutage(machine, words);
    expect(await machine.send(delta(2), words)).toMatchObject({ code: 0, is_new: true, now: { sent: 10 } });
    const resumed = await machine.run('batches resume --at-most 100 -o json');
    expect(resumed.code).toBe(0);
    expect((await machine.run('batches resume --at-most 100 -o json')).code).toBe(11);
    expect(machine.tally()).toEqual({ 1: 30 });
  });

  it.for([
    ['only a header', 'phone,name\n'],
    ['nothing', ''],
  ] as const)('an export with %s is exit 2, and the next one goes on', async ([, text], { machine }) => {
    await machine.send(delta(0), '--batch orders');
    machine.wait(hour);
    const typed = ['send-batch', 'welcome', machine.writeText(text, 'people.csv'), '-p', ':name', '--batch', 'orders'];
    expect(await machine.run([...typed, '--at-most', '100', '-o', 'json'])).toMatchObject({ code: 2, stdout: '' });
    machine.wait(hour);
    expect(await machine.send(delta(1), '--batch orders')).toMatchObject({ code: 0, now: { sent: 10 } });
    expect(machine.tally()).toEqual({ 1: 20 });
  });
});
