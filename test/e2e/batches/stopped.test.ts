import { describe, expect } from 'vitest';
import { corrected, people } from './people.ts';
import { day, hour, it, type Machine } from './rig.ts';

const all = people(1, 200);
/** Nobody twice. Some rows may have been claimed by a process that died before their requests left. */
const once = { 1: expect.any(Number) };

describe('a batch that Ctrl-C stopped', () => {
  const fixed = corrected(all, 10, 20, 190);

  /** The first 60 people have a message, and a corrected file has sent the rest. */
  async function isContinued(machine: Machine): Promise<void> {
    const { sent } = await machine.interrupted(60, all, '--batch autumn');
    expect(sent).toBeLessThan(190);
    const continued = await machine.send(fixed, '--batch autumn');
    expect(continued).toMatchObject({ code: 10, sent: 200, changed: 2, now: { sent: 200 - sent } });
  }

  it('goes on with a corrected file; people who have the old text keep it', async ({ machine }) => {
    await isContinued(machine);
    expect(machine.tally()).toEqual({ 1: 200 });
    expect([10, 20, 190].flatMap((number) => machine.texts(number))).toEqual(['P10', 'P20', 'P190 corrected']);
  });

  it('lists them as changed, with exit 10 once for each text', async ({ machine }) => {
    await isContinued(machine);
    expect(await machine.send(fixed, '--batch autumn')).toMatchObject({ code: 0, changed: 2, now: { sent: 0 } });
    const again = corrected(fixed, 10);
    expect(await machine.send(again, '--batch autumn')).toMatchObject({ code: 10, changed: 2, now: { sent: 0 } });
    expect(await machine.send(again, '--batch autumn')).toMatchObject({ code: 0, changed: 2, now: { sent: 0 } });
  });

  it('sends only them the new text with --resend changed', async ({ machine }) => {
    await isContinued(machine);
    const words = '--batch autumn --resend changed';
    expect(await machine.send(fixed, words)).toMatchObject({ code: 0, changed: 0, now: { sent: 2 } });
    expect(await machine.send(fixed, words)).toMatchObject({ code: 0, changed: 0, now: { sent: 0 } });
    expect(machine.texts(10)).toEqual(['P10', 'P10 corrected']);
    expect(machine.tally()).toEqual({ 1: 198, 2: 2 });
  });

  it('when its last rows were under way has nothing left to do', async ({ machine }) => {
    expect(await machine.stopped(4, people(1, 4), '--batch autumn')).toMatchObject({ code: 0, sent: 4, stopped: null });
  });

  it('goes on with batches resume, which needs no file', async ({ machine }) => {
    const { sent } = await machine.interrupted(60, all, '--batch autumn');
    machine.write([]);
    const resumed = await machine.resume('autumn');
    expect(resumed).toMatchObject({ code: 0, rows: 200, sent: 200, now: { sent: 200 - sent } });
    expect(machine.tally()).toEqual({ 1: 200 });
  });
});

describe('a batch that was stopped on Friday', () => {
  it.for([
    ['the same command', (machine: Machine) => machine.send(all, '--batch autumn')],
    ['batches resume', (machine: Machine) => machine.resume('autumn')],
  ] as const)('keeps excluded people out on Monday, with %s', async ([, monday], { machine }) => {
    const excluded = machine.write(people(150, 151), 'noex.csv');
    const { sent } = await machine.interrupted(60, all, `--batch autumn --exclude-from ${excluded}`);
    machine.wait(3 * day);
    const ended = await monday(machine);
    expect(ended).toMatchObject({ code: 0, sent: 198, not_sent: 2, now: { sent: 198 - sent } });
    expect(machine.tally()).toEqual({ 1: 198 });
    expect(machine.texts(150)).toEqual([]);
  });

  it('has them again with --no-exclude-from', async ({ machine }) => {
    const excluded = machine.write(people(150, 151), 'noex.csv');
    await machine.interrupted(60, all, `--batch autumn --exclude-from ${excluded}`);
    machine.wait(3 * day);
    expect(await machine.send(all, '--batch autumn --no-exclude-from')).toMatchObject({ code: 0, sent: 200 });
    expect(machine.tally()).toEqual({ 1: 200 });
  });
});

describe('a batch that kill -9 ended', () => {
  it('goes on; whoever was on the way is unsure, and gets nothing', async ({ machine }) => {
    await machine.killed(60, all, '--batch autumn');
    const ended = await machine.send(all, '--batch autumn');
    expect(ended).toMatchObject({ code: 10, sent: 200 - ended.unsure, failed: 0, waiting: 0 });
    expect(ended.unsure).toBeGreaterThan(0);
    expect(machine.tally()).toEqual(once);
  });

  it('is ended by batches mark, once someone has looked', async ({ machine }) => {
    await machine.killed(60, all, '--batch autumn');
    await machine.send(all, '--batch autumn');
    for (const { phone } of await machine.report('autumn', '--outcome unsure'))
      if (machine.service.asked.some((asked) => asked.phone === phone))
        await machine.run(['batches', 'mark', String(phone), '--sent']);
    await machine.run('batches mark autumn --not-sent');
    expect(await machine.send(all, '--batch autumn')).toMatchObject({ code: 0, sent: 200 });
    expect(machine.tally()).toEqual({ 1: 200 });
  });

  it('leaves nobody out that another batch of the evening has, too', async ({ machine }) => {
    await machine.killed(60, all, '--batch autumn');
    const evening = await machine.send(all, '--batch evening');
    expect(evening.code).toBe(10);
    expect(evening.sent + evening.not_sent).toBe(200);
    expect(await machine.send(all, '--batch autumn')).toMatchObject({ code: 10, waiting: 0 });
    expect(machine.tally()).toEqual(once);
  });
});

describe('two processes', () => {
  it('on one batch: the second is refused, and says who works on it', async ({ machine }) => {
    const goOn = machine.hold();
    const first = machine.arrived(1);
    const running = machine.start(all, '--batch autumn');
    await first;
    const second = await machine.start(all, '--batch autumn').ended;
    expect(second).toMatchObject({ code: 11, stderr: expect.stringContaining(String(running.pid)) });
    goOn();
    expect(await running.ended).toMatchObject({ code: 0, sent: 200 });
    expect(machine.tally()).toEqual({ 1: 200 });
  });

  it('on two batches with the same people: each person is sent by one of them', async ({ machine }) => {
    const both = [
      machine.start(all, '--batch morning'),
      machine.start(all, '--batch evening', { file: 'evening.csv' }),
    ];
    const ended = await Promise.all(both.map((running) => running.ended));
    expect(machine.tally()).toEqual({ 1: 200 });
    expect(ended.reduce((sum, { now }) => sum + now.sent, 0)).toBe(200);
    for (const batch of ['morning', 'evening']) await machine.send(all, `--batch ${batch}`);
    expect(await machine.send(all, '--batch morning')).toMatchObject({ code: 0, sent: 200, now: { sent: 0 } });
    expect(await machine.send(all, '--batch evening')).toMatchObject({ code: 0, sent: 200, now: { sent: 0 } });
  });

  it('one of them dead: the other batch sends to whom that had not claimed', async ({ machine }) => {
    await machine.killed(60, all, '--batch autumn');
    machine.wait(hour);
    const other = await machine.send(people(151, 350), '--batch winter', { file: 'winter.csv' });
    expect(other).toMatchObject({ code: 0, sent: 200, now: { sent: 200 } });
    const rest = await machine.send(all, '--batch autumn');
    expect(rest).toMatchObject({ code: 10, before: [{ batch: 'winter', sent: 50 }] });
    expect(machine.tally()).toEqual(once);
  });
});
