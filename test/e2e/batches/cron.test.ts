import { describe, expect } from 'vitest';
import { isLong } from '../../support/long-tests.ts';
import { people } from './people.ts';
import { day, it, type Machine } from './rig.ts';

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
});

describe('a growing file by cron, for 500 days', { timeout: 600_000 }, () => {
  const days = 500;
  /** The days between two lines of cron, each of which runs twice. */
  const interval = isLong ? 1 : 10;
  const words = '--batch welcome';

  async function cron(machine: Machine, from: number, to: number): Promise<void> {
    for (let today = from; today <= to; today += interval) {
      for (const time of ['morning', 'evening']) {
        const ended = await machine.send(people(1, today), words);
        expect(ended, `day ${today}, ${time}`).toMatchObject({ code: 0, rows: today, sent: today });
      }
      machine.wait(interval * day);
    }
  }

  it(`twice each ${interval} days, once killed: each person gets it once`, async ({ machine }) => {
    await cron(machine, interval, 240);
    await machine.killed(1, people(1, 241), words);
    expect(await machine.send(people(1, 241), words)).toMatchObject({ code: 10, unsure: 1, now: { sent: 0 } });
    expect((await machine.run('batches mark welcome --sent')).code).toBe(0);
    await cron(machine, 250, days);
    expect(machine.tally()).toEqual({ 1: days });
  });
});
