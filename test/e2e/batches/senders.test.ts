import { describe, expect } from 'vitest';
import { people } from './people.ts';
import { hour, it, keys, type Machine } from './rig.ts';

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
});

it('a second order without --per is held, and the screen names the column', async ({ machine }) => {
  const [monday, tuesday] = [7, 8].map((order) => people(1, 1, () => ({ order: `${order}` })));
  await machine.send(monday ?? [], '--batch monday -p :order');
  expect(await machine.send(tuesday ?? [], '--batch tuesday -p :order')).toMatchObject({ code: 10, not_sent: 1 });
  expect(await machine.screen(tuesday ?? [], '--batch tuesday -p :order')).toContain('--per order');
  expect(machine.texts(1)).toEqual(['7']);
});
