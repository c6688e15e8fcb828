import { describe, expect } from 'vitest';
import { corrected, people, phoneOf } from './people.ts';
import { day, hour, it, keys, type Machine, minute } from './rig.ts';

const all = people(1, 40);
const autumn = '--batch autumn';

/** A message of the low-level command. */
function api(machine: Machine, number: number, words = '') {
  const { phone = '', name = '' } = all[number - 1] ?? {};
  const fields = ['-f', `to=${phone}`, '-f', 'template=welcome', '-f', `params[]=${name}`];
  const typed = ['api', '/api/public/messages/send-template', '-X', 'POST', ...fields];
  return machine.run([...typed, ...words.split(' ').filter(Boolean)]);
}

describe('the same list', () => {
  it('through another profile of the account, with another key: nobody twice', async ({ machine }) => {
    await machine.login('office', keys.otherLive);
    await machine.send(all, `${autumn} --profile acme`);
    const other = await machine.send(all, '--batch winter --profile office');
    expect(other).toMatchObject({ code: 10, sent: 40, now: { sent: 0 }, before: [{ batch: 'autumn', sent: 40 }] });
    expect(await machine.send(all, `${autumn} --profile office`)).toMatchObject({ code: 0, is_new: false, sent: 40 });
    expect(machine.tally()).toEqual({ 1: 40 });
  });

  it('stopped with one key goes on with another of the account', async ({ machine }) => {
    const { sent } = await machine.interrupted(10, all, autumn);
    await machine.login('acme', keys.otherLive);
    expect(await machine.send(all, autumn)).toMatchObject({ code: 0, sent: 40, now: { sent: 40 - sent } });
    expect(machine.tally()).toEqual({ 1: 40 });
    expect(machine.tally(keys.otherLive)).toEqual({ 1: 40 - sent });
  });
});

describe('a single message beside a batch', () => {
  const both = [
    ['send-template', (machine: Machine, number: number, words?: string) => machine.single(all[number - 1], words)],
    ['api', api],
  ] as const;

  it.for(both)('by %s: after it, the same text is refused for 20 hours', async ([, send], { machine }) => {
    await machine.send(all, autumn);
    machine.wait(19 * hour);
    expect((await send(machine, 5)).code).toBe(11);
    expect(machine.tally()).toEqual({ 1: 40 });
    expect((await send(machine, 5, '--again')).code).toBe(0);
    machine.wait(21 * hour);
    expect((await send(machine, 5)).code).toBe(0);
    expect(machine.texts(5)).toHaveLength(3);
  });

  it.for(both)('by %s: while it is on its way, it waits, and is refused', async ([, send], { machine }) => {
    const goOn = machine.hold();
    const isAsked = machine.arrived(1);
    const running = machine.start(all.slice(4, 5), autumn);
    await isAsked;
    const single = send(machine, 5);
    goOn();
    expect((await single).code).toBe(11);
    expect(await running.ended).toMatchObject({ code: 0, sent: 1 });
    expect(machine.texts(5)).toEqual(['P5']);
  });

  it.for(both)('by %s: to someone who still waits, it is not sent by the batch', async ([, send], { machine }) => {
    const goOn = machine.hold();
    const isAsked = machine.arrived(1);
    const running = machine.start(all.slice(0, 3), `${autumn} --first 1`);
    await isAsked;
    const single = send(machine, 3);
    await machine.arrived(1);
    goOn();
    expect((await single).code).toBe(0);
    expect(await running.ended).toMatchObject({ code: 0, sent: 1 });
    const rest = await machine.send(all.slice(0, 3), autumn);
    expect(rest).toMatchObject({ code: 10, sent: 3, now: { sent: 1 }, before: [{ batch: null, sent: 1 }] });
    expect(machine.tally()).toEqual({ 1: 3 });
  });

  it('within 10 minutes of the same is refused', async ({ machine }) => {
    expect((await machine.single(all[0])).code).toBe(0);
    expect((await machine.single(all[0])).code).toBe(11);
    expect((await machine.single(corrected(all, 1)[0])).code).toBe(0);
    machine.wait(11 * minute);
    expect((await machine.single(all[0])).code).toBe(0);
    expect(machine.texts(1)).toHaveLength(3);
  });

  it('that may have been sent is refused until it is marked', async ({ machine }) => {
    machine.reply = () => 500;
    expect((await machine.single(all[0])).code).toBe(13);
    machine.reply = () => 200;
    machine.wait(9 * day);
    expect((await machine.single(all[0])).code).toBe(11);
    expect((await machine.run(`batches mark ${phoneOf(1)} --not-sent`)).code).toBe(0);
    expect((await machine.single(all[0])).code).toBe(0);
    expect(machine.texts(1)).toHaveLength(2);
  });
});

it('a second order without --per is held, and the screen names the column', async ({ machine }) => {
  const [monday, tuesday] = [7, 8].map((order) => people(1, 1, () => ({ order: `${order}` })));
  await machine.send(monday ?? [], '--batch monday -p :order');
  expect(await machine.send(tuesday ?? [], '--batch tuesday -p :order')).toMatchObject({ code: 10, not_sent: 1 });
  expect(await machine.screen(tuesday ?? [], '--batch tuesday -p :order')).toContain('--per order');
  expect(machine.texts(1)).toEqual(['7']);
});

it('a person whom another process is sending it to is held, also with --again', async ({ machine }) => {
  const goOn = machine.hold();
  const isAsked = machine.arrived(1);
  const running = machine.start(all.slice(0, 1), '--batch other', { file: 'other.csv' });
  await isAsked;
  const held = machine.start(all.slice(0, 2), `${autumn} --again`);
  await machine.arrived(1);
  goOn();
  expect(await held.ended).toMatchObject({ code: 10, sent: 1, not_sent: 1 });
  expect(await running.ended).toMatchObject({ code: 0, sent: 1 });
  expect(machine.tally()).toEqual({ 1: 2 });
});

describe('a person who got', () => {
  it.for([
    ['the same text', 'P1', 200, 26 * 24, { sent: 1, now: { sent: 0 } }],
    ['the same text', 'P1', 200, 28 * 24, { sent: 1, now: { sent: 1 } }],
    ['another text', 'Hi', 200, 19, { not_sent: 1 }],
    ['another text', 'Hi', 200, 21, { sent: 1, now: { sent: 1 } }],
    ['perhaps the same text', 'P1', 409, 60 * 24, { not_sent: 1 }],
    ['perhaps another text', 'Hi', 409, 19, { not_sent: 1 }],
    ['perhaps another text', 'Hi', 409, 21, { sent: 1, now: { sent: 1 } }],
  ] as const)(
    '%s (%s, answered with %i), %i hours ago: held, sent before or sent now',
    async ([, name, reply, ago, counts], { machine }) => {
      const ada = all.slice(0, 1);
      machine.reply = () => reply;
      await machine.send(
        ada.map((row) => ({ ...row, name })),
        '--batch other',
        { file: 'other.csv' },
      );
      machine.reply = () => 200;
      machine.wait(ago * hour);
      expect(await machine.send(ada, autumn)).toMatchObject(counts);
    },
  );
});

it('people who were excluded once stay so until --no-exclude-from, and changed texts go out with --resend', async ({
  machine,
}) => {
  const rows = all.slice(0, 2);
  const excluding = `${autumn} --exclude-from ${machine.write(all.slice(1, 2), 'no.csv')}`;
  expect(await machine.send(rows, excluding)).toMatchObject({ sent: 1, not_sent: 1 });
  expect(await machine.send(rows, autumn)).toMatchObject({ code: 0, now: { sent: 0 }, not_sent: 1 });
  expect(await machine.send(rows, `${autumn} --no-exclude-from`)).toMatchObject({ code: 0, sent: 2, now: { sent: 1 } });
  const changed = corrected(rows, 1);
  expect(await machine.send(changed, autumn)).toMatchObject({ code: 10, changed: 1, now: { sent: 0 } });
  expect(await machine.send(changed, `${autumn} --resend changed`)).toMatchObject({ code: 0, now: { sent: 1 } });
  expect(machine.texts(1)).toEqual(['P1', 'P1 corrected']);
});
