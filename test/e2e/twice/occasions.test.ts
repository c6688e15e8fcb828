import { describe, expect } from 'vitest';
import { corrected, day, hour, it, keys, type Machine, minute, people } from './rig.ts';

const all = people(1, 200);

describe('a daily reminder by cron, with the date in its text', () => {
  const words = (date: number) => `-p :name -p 2026-05-0${date}`;

  it.for([
    ['was sent', (machine: Machine) => machine.sends(200, all, words(1))],
    ['has an unsure row', (machine: Machine) => machine.sends({ sent: 199, code: 10 }, all, words(1))],
    ['was killed', (machine: Machine) => machine.killed(60, all, words(1))],
  ] as const)('is sent each morning, also if yesterday’s %s', async ([what, yesterday], { machine }) => {
    machine.waitUntil(9);
    if (what === 'has an unsure row') machine.reply = ({ phone }) => (phone === all[6]?.phone ? 500 : 200);
    await yesterday(machine);
    machine.reply = () => 200;
    for (const date of [2, 3]) {
      machine.waitUntil(9);
      await machine.nextOccasion();
      const { summary } = await machine.sends(200, all, words(date));
      expect(summary.continues).toBe(false);
    }
  });
});

describe('the same text', () => {
  it('a week later is refused, naming --job and --again together', async ({ machine }) => {
    await machine.sends(200, all);
    machine.wait(7 * day);
    await machine.refuses([/200 found/, /--job \S+ --again/], all);
    await machine.sends(200, all, '--job week-2 --again');
    machine.times = () => 2;
  });

  it.for([28, 31] as const)('%i days later is sent', async (days, { machine }) => {
    await machine.sends(200, all);
    machine.wait(days * day);
    await machine.sends(200, all);
    machine.times = () => 2;
  });

  it('of another template is sent', async ({ machine }) => {
    await machine.sends(200, all);
    await machine.sends(200, all, '', { template: 'welcome_v2' });
  });

  it('with a live key is sent after a sandbox key, which is not asked either', async ({ machine }) => {
    const live = machine.env;
    machine.env = { ...live, BIZMSG_API_KEY: keys.sandbox };
    await machine.sends(200, all);
    expect((await machine.sends(200, all)).stderr).toMatch(/with a live key, this command would stop: .*200 found/);
    machine.env = live;
    await machine.sends(200, all);
  });
});

describe('--per order', () => {
  const orders = (first: string) => people(1, 200, (number) => ({ order: `${first}${number}` }));
  const two = [...people(1, 20, () => ({ order: '1' })), { phone: all[4]?.phone ?? '', name: 'Ada', order: '2' }];

  it('on Tuesday is refused for the orders of Monday, sent without it, but not for new ones', async ({ machine }) => {
    await machine.sends(200, orders('1'), '-p :name -p :order');
    machine.wait(day);
    await machine.refuses([/200 found/], orders('1'), '-p :name -p :order --per order');
    await machine.sends(200, orders('2'), '-p :name -p :order --per order');
    machine.times = () => 2;
  });

  it.for(['000', ' '] as const)('is refused for the same numbers without %j', async (zeros, { machine }) => {
    await machine.sends(200, orders(`${zeros}1`), '--per order');
    await machine.refuses([/200 found/], orders('1'), '--per order');
  });

  it('continues after an interruption with 17 for 00017', async ({ machine }) => {
    const sent = await machine.interrupted(100, orders('0001'), '--per order');
    await machine.sends(200 - sent, orders('1'), '--per order');
  });

  it('is named for two orders of one person, and sends both', async ({ machine }) => {
    await machine.refuses([/--per order/, /line 6/], two);
    await machine.sends(21, two, '--per order');
    machine.times = (number) => (number === 5 ? 2 : 1);
  });

  it('is part of the question on a terminal, where the others get one message each', async ({ machine }) => {
    const answers = [/❯.*others/i, [/Type 20 /, '20']] as const;
    const { stderr } = await machine.sends(20, two, '', { answers });
    expect(stderr).toMatch(/--per order|line 6/);
  });
});

it('--hours until 18:00, killed, and the same command at 09:05 sends the rest', async ({ machine }) => {
  const words = ['--hours', 'mon-sun 09:00-18:00 UTC'];
  machine.waitUntil(17, 50);
  await machine.killed(84, all, words);
  machine.waitUntil(9, 5);
  await machine.sends({ sent: 100, code: 10, skipped: { unsure: 16 } }, all, words);
});

describe('the clock of the machine', () => {
  it.for([-40, 31] as const)('%i days from the true time is exit 3, and nothing is sent', async (days, { machine }) => {
    machine.drift = days * day;
    expect((await machine.batch(all)).code).toBe(3);
    expect(machine.service.asked).toEqual([]);
  });

  it.for([-23, 23] as const)(
    '%i hours from it sends, and nobody twice once it is right',
    async (hours, { machine }) => {
      machine.drift = hours * hour;
      await machine.sends(200, all);
      machine.drift = 0;
      await machine.refuses([/200 found/], all);
    },
  );

  it('before the day of the build stops live messages, not imports or messages in the sandbox', async ({ machine }) => {
    machine.drift = Date.UTC(2023, 11, 31) - machine.now();
    const [batch, single] = [await machine.batch(all), await machine.single(all[0])];
    expect([batch.code, single.code, machine.service.asked]).toEqual([3, 3, []]);
    for (const { stderr } of [batch, single]) expect(stderr).toContain('it says 2023-12-31');
    expect(await machine.load(all)).toMatchObject({ code: 0 });
    machine.env = { ...machine.env, BIZMSG_API_KEY: keys.sandbox };
    await machine.sends(200, all);
    machine.times = () => [0, 1];
  });
});

describe('a single message', () => {
  const three = people(1, 3);
  const other = corrected(three, 1);

  it('with the text of a batch is refused for 20 hours; another text is sent at once', async ({ machine }) => {
    await machine.sends(3, three);
    machine.wait(15 * minute);
    expect([(await machine.single(three[0])).code, (await machine.single(other[0])).code]).toEqual([11, 0]);
    machine.wait(20 * hour);
    expect((await machine.single(three[0])).code).toBe(0);
    machine.times = (number) => (number === 1 ? 3 : 1);
  });

  it.for([
    ['the same text', three, 26 * day],
    ['another text', other, 19 * hour],
  ] as const)('stops a batch with %s, unless it was sent long before', async ([, rows, span], { machine }) => {
    expect((await machine.single(three[0])).code).toBe(0);
    machine.wait(span);
    await machine.refuses([/1 found/], rows);
    machine.wait(day + hour);
    await machine.sends(3, rows);
    machine.times = (number) => (number === 1 ? 2 : 1);
  });

  it.for([422, 429] as const)(
    'that was sent still counts after --again was answered %i',
    async (reply, { machine }) => {
      expect((await machine.single(three[0])).code).toBe(0);
      machine.reply = () => reply;
      expect((await machine.single(three[0], '--again --retries 0')).code).toBe(reply === 422 ? 6 : 7);
      machine.reply = () => 200;
      await machine.refuses([/1 found/], three);
      expect((await machine.single(three[0])).code).toBe(11);
    },
  );

  it.for([
    [200, { code: 0, sent: 2, skipped: { elsewhere: 1 } }],
    [500, { code: 10, sent: 2, skipped: { unsure: 1 } }],
  ] as const)('that is answered %i during a batch is not sent by that', async ([reply, ended], { machine }) => {
    machine.reply = ({ phone }) => (phone === three[2]?.phone ? reply : 200);
    const [goOn, first] = [machine.hold(), machine.arrived(1)];
    const batch = machine.sends(ended, three, '--concurrency 1');
    await first;
    const second = machine.arrived(1);
    const single = machine.single(three[2]);
    await second.then(goOn);
    expect((await single).code).toBe(reply === 200 ? 0 : 13);
    await batch;
    machine.times = () => [reply === 200 ? 1 : 0, 1];
  });

  it('counts from the last time that it was sent', async ({ machine }) => {
    for (const wait of [0, 11 * minute]) {
      machine.wait(wait);
      expect((await machine.single(three[0])).code).toBe(0);
      expect((await machine.single(three[0])).code).toBe(11);
    }
    machine.times = () => 2;
  });
});
