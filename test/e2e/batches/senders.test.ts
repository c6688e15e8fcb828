import { describe, expect } from 'vitest';
import { corrected, people, phoneOf } from './people.ts';
import { day, hour, it, keys, type Machine, minute } from './rig.ts';

const all = people(1, 40);
const autumn = '--batch autumn';

describe('one person of 1,000 had a single message', () => {
  const thousand = people(1, 1000);

  it('with the same text: 999 are sent, exit 10, then exit 0', async ({ machine }) => {
    expect((await machine.single(thousand[499])).code).toBe(0);
    machine.wait(hour);
    const first = await machine.send(thousand, autumn);
    expect(first).toMatchObject({ code: 10, sent: 1000, now: { sent: 999 }, before: [{ batch: null, sent: 1 }] });
    expect(await machine.send(thousand, autumn)).toMatchObject({ code: 0, sent: 1000, now: { sent: 0 } });
    expect(machine.tally()).toEqual({ 1: 1000 });
  });

  it('with another text: 999 are sent, exit 10 until 20 hours have passed, then that person', async ({ machine }) => {
    expect((await machine.single(corrected(thousand)[499])).code).toBe(0);
    machine.wait(hour);
    for (const sent of [999, 0])
      expect(await machine.send(thousand, autumn)).toMatchObject({ code: 10, not_sent: 1, now: { sent } });
    machine.wait(20 * hour);
    expect(await machine.send(thousand, autumn)).toMatchObject({ code: 0, sent: 1000, now: { sent: 1 } });
    expect(machine.tally()).toEqual({ 1: 999, 2: 1 });
  });
});

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

  it('for two clients at one address: each sends it', async ({ machine }) => {
    await machine.login('client', keys.otherLive, 'other');
    await machine.send(all, `${autumn} --profile acme`);
    const other = await machine.send(all, `${autumn} --profile client`);
    expect(other).toMatchObject({ code: 0, is_new: true, sent: 40, now: { sent: 40 } });
    expect(machine.tally(keys.live)).toEqual({ 1: 40 });
    expect(machine.tally(keys.otherLive)).toEqual({ 1: 40 });
  });

  it('from the sandbox to live: the practice does not count', async ({ machine }) => {
    await machine.login('practice', keys.sandbox);
    expect(await machine.send(all, `${autumn} --profile practice`)).toMatchObject({ mode: 'sandbox', sent: 40 });
    expect(await machine.send(all, '--batch other --profile practice')).toMatchObject({ code: 0, now: { sent: 40 } });
    const { sent } = await machine.interrupted(10, all, autumn);
    expect(await machine.resume('autumn')).toMatchObject({ code: 0, mode: 'live', now: { sent: 40 - sent } });
    expect(machine.tally(keys.live)).toEqual({ 1: 40 });
  });

  it('after 28 days is sent by a new batch, and not by the old one', async ({ machine }) => {
    await machine.send(all, autumn);
    machine.wait(26 * day);
    expect(await machine.send(all, '--batch early')).toMatchObject({ code: 10, now: { sent: 0 } });
    machine.wait(2 * day);
    expect(await machine.send(all, autumn)).toMatchObject({ code: 0, now: { sent: 0 } });
    expect(await machine.send(all, '--batch winter')).toMatchObject({ code: 0, now: { sent: 40 } });
    expect(await machine.send(all, '--batch early')).toMatchObject({ code: 0, now: { sent: 0 } });
    expect(machine.tally()).toEqual({ 2: 40 });
  });

  it('of another template is sent', async ({ machine }) => {
    await machine.send(all, autumn);
    expect(await machine.send(all, '--batch bye', { template: 'bye' })).toMatchObject({ code: 0, now: { sent: 40 } });
    expect(machine.tally()).toEqual({ 2: 40 });
  });
});

describe('a single message beside a batch', () => {
  const both = [
    ['send-template', (machine: Machine, number: number, words?: string) => machine.single(all[number - 1], words)],
    ['api', api],
  ] as const;

  it.for(both)('by %s: before it, the batch counts it as sent', async ([, send], { machine }) => {
    expect((await send(machine, 5)).code).toBe(0);
    const batch = await machine.send(all, autumn);
    expect(batch).toMatchObject({ code: 10, sent: 40, now: { sent: 39 }, before: [{ batch: null, sent: 1 }] });
    expect(machine.tally()).toEqual({ 1: 40 });
  });

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

describe('an opt-out', () => {
  it('during the work counts at once, and its removal with the next line', async ({ machine }) => {
    const goOn = machine.hold();
    const isAsked = machine.arrived(1);
    const running = machine.start(people(1, 200), autumn);
    await isAsked;
    expect((await machine.run(`opt-outs add ${phoneOf(199)} ${phoneOf(200)}`)).code).toBe(0);
    goOn();
    expect(await running.ended).toMatchObject({ code: 0, sent: 198, not_sent: 2, reasons: [{ reason: 'opted out' }] });
    expect((await machine.run(`opt-outs remove ${phoneOf(200)}`)).code).toBe(0);
    const next = await machine.send(people(1, 200), autumn);
    expect(next).toMatchObject({ code: 0, sent: 199, not_sent: 1, now: { sent: 1 } });
    expect(machine.texts(199)).toEqual([]);
    expect(machine.tally()).toEqual({ 1: 199 });
  });

  it('outranks --again, --resend and single messages, also with a sandbox key', async ({ machine }) => {
    await machine.login('practice', keys.sandbox);
    await machine.send(all, autumn);
    await machine.run(`opt-outs add ${phoneOf(3)}`);
    const words = `${autumn} --again --resend changed`;
    expect(await machine.send(corrected(all, 3, 4), words)).toMatchObject({ code: 10, now: { sent: 1 } });
    expect(await machine.send(all, '--batch winter --again')).toMatchObject({ code: 0, not_sent: 1 });
    expect(await machine.send(all, `${autumn} --profile practice`)).toMatchObject({ code: 0, not_sent: 1 });
    expect((await machine.single(all[2], '--again')).code).toBe(11);
    expect(machine.texts(3)).toEqual(['P3']);
  });

  it('is of one account', async ({ machine }) => {
    await machine.login('client', keys.otherLive, 'other');
    await machine.run(`opt-outs add ${phoneOf(3)} --profile acme`);
    expect(await machine.send(all, `${autumn} --profile acme`)).toMatchObject({ code: 0, sent: 39, not_sent: 1 });
    expect(await machine.send(all, `${autumn} --profile client`)).toMatchObject({ code: 0, sent: 40 });
    expect(machine.texts(3)).toEqual(['P3']);
  });
});
