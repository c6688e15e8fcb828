import { describe, expect } from 'vitest';
import { corrected, people, phoneOf, type Row } from './people.ts';
import { hour, it, keys } from './rig.ts';

const all = people(1, 200);

describe('50 late people', () => {
  const late = people(201, 250);

  it('appended to the file get it, and nobody else', async ({ machine }) => {
    await machine.send(all, '--batch autumn');
    machine.wait(2 * hour);
    const longer = await machine.send([...all, ...late], '--batch autumn');
    expect(longer).toMatchObject({ code: 0, is_new: false, rows: 250, sent: 250, now: { sent: 50 } });
    expect(machine.tally()).toEqual({ 1: 250 });
  });

  it('in a file of their own get it, and those of the stopped batch keep waiting', async ({ machine }) => {
    const { sent } = await machine.interrupted(60, all, '--batch autumn');
    const own = await machine.send(late, '--batch autumn', { file: 'late.csv' });
    expect(own).toMatchObject({ code: 10, rows: 50, sent: 50, waiting: 0, others: 200 - sent, now: { sent: 50 } });
    expect(machine.tally()).toEqual({ 1: sent + 50 });
    const screen = await machine.screen(late, '--batch autumn', { file: 'late.csv' });
    expect(screen).toMatch(/bizmsg batches resume autumn .*\n.*bizmsg batches cancel autumn --missing /);
    expect(await machine.resume('autumn')).toMatchObject({ code: 0, now: { sent: 200 - sent } });
    expect(machine.tally()).toEqual({ 1: 250 });
  });

  it('in a file of their own, with those who are missing from it cancelled', async ({ machine }) => {
    const { sent } = await machine.interrupted(60, all, '--batch autumn');
    await machine.send(late, '--batch autumn', { file: 'late.csv' });
    expect((await machine.run('batches cancel autumn --missing')).code).toBe(0);
    const again = await machine.send(all, '--batch autumn');
    expect(again).toMatchObject({ code: 0, sent, not_sent: 200 - sent, now: { sent: 0 } });
    expect(machine.tally()).toEqual({ 1: sent + 50 });
  });
});

describe('two files of the same name in two folders', () => {
  const [berlin, koeln] = [people(1, 20), people(16, 40)];
  const [first, second] = [{ file: 'berlin/people.csv' }, { file: 'koeln/people.csv' }];

  it('with a name for each: people in both get it once', async ({ machine }) => {
    expect(await machine.send(berlin, '--batch berlin', first)).toMatchObject({ code: 0, sent: 20 });
    const other = await machine.send(koeln, '--batch koeln', second);
    expect(other).toMatchObject({ code: 10, sent: 25, now: { sent: 20 }, before: [{ batch: 'berlin', sent: 5 }] });
    expect(await machine.send(koeln, '--batch koeln', second)).toMatchObject({ code: 0, now: { sent: 0 } });
    expect(machine.tally()).toEqual({ 1: 40 });
  });

  it('with one name: people in both get it once', async ({ machine }) => {
    await machine.send(berlin, '--batch people', first);
    const other = await machine.send(koeln, '--batch people', second);
    expect(other).toMatchObject({ code: 0, is_new: false, sent: 25, now: { sent: 20 } });
    expect(machine.tally()).toEqual({ 1: 40 });
  });

  it('with one name: a wrong line of the first is not corrected by a line of the second', async ({ machine }) => {
    const wrong = (name: string): Row => ({ phone: 'unknown', name });
    await machine.send([wrong('Ann'), ...people(2, 5)], '--batch people', first);
    await machine.send([{ phone: phoneOf(1), name: 'Ann' }, ...people(6, 9)], '--batch people', second);
    const report = await machine.report('people');
    expect(report.filter(({ bizmsg_outcome: outcome }) => outcome === 'failed')).toMatchObject([{ phone: 'unknown' }]);
    expect(report).toHaveLength(10);
    expect(machine.tally()).toEqual({ 1: 9 });
  });

  it('without a name, a live script is refused; with a sandbox key they are two batches', async ({ machine }) => {
    const refused = await machine.send(berlin, '', first);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--batch people') });
    await machine.login('practice', keys.sandbox);
    const words = '--profile practice';
    expect(await machine.send(berlin, words, first)).toMatchObject({ code: 0, batch: 'people', sent: 20 });
    expect(await machine.send(koeln, words, second)).toMatchObject({ code: 0, batch: 'people-2', now: { sent: 25 } });
    expect(machine.tally(keys.live)).toEqual({});
  });
});

describe('two orders of one person', () => {
  const order = (number: number, id: string): Row => ({ phone: phoneOf(number), name: `P${number}`, order: id });
  const first = [order(1, 'A17'), order(2, 'B3')];
  const both = [...first, order(1, 'A18')];
  const texts = '-p :name -p :order';

  it('the first sent plainly, then both with --per order: each order gets its message once', async ({ machine }) => {
    await machine.send(first, `--batch monday ${texts}`);
    machine.wait(2 * hour);
    const words = `--batch tuesday --per order ${texts}`;
    const second = await machine.send(both, words);
    expect(second).toMatchObject({ code: 10, sent: 3, now: { sent: 1 }, before: [{ batch: 'monday', sent: 2 }] });
    expect(await machine.send(both, words)).toMatchObject({ code: 0, sent: 3, now: { sent: 0 } });
    expect(machine.texts(1)).toEqual(['P1,A17', 'P1,A18']);
    expect(machine.texts(2)).toEqual(['P2,B3']);
  });

  it('the second without --per is held, and the hint names the column', async ({ machine }) => {
    await machine.send(first, `--batch monday ${texts}`);
    machine.wait(2 * hour);
    const held = await machine.send([order(1, 'A18')], `--batch tuesday ${texts}`);
    expect(held).toMatchObject({ code: 10, not_sent: 1, now: { sent: 0 } });
    expect(await machine.screen([order(1, 'A18')], `--batch tuesday ${texts}`)).toContain('--per order');
    machine.wait(19 * hour);
    expect(await machine.send([order(1, 'A18')], `--batch tuesday ${texts}`)).toMatchObject({ code: 0, sent: 1 });
    expect(machine.texts(1)).toEqual(['P1,A17', 'P1,A18']);
  });

  it('in one file without --per: a live script is refused, and told what to add', async ({ machine }) => {
    const refused = await machine.send(both, `--batch monday ${texts}`);
    expect(refused).toMatchObject({ code: 11, stderr: expect.stringContaining('--per order') });
    expect(machine.tally()).toEqual({});
    const one = await machine.send(both, `--batch monday --per phone ${texts}`);
    expect(one).toMatchObject({ code: 0, sent: 2, not_sent: 1 });
    expect(machine.texts(1)).toEqual(['P1,A17']);
  });

  it('with one corrected: changed, and nobody gets it twice', async ({ machine }) => {
    await machine.send(both, `--batch monday --per order ${texts}`);
    const fixed = corrected(both, 2);
    const words = `--batch monday ${texts}`;
    expect(await machine.send(fixed, words)).toMatchObject({ code: 10, changed: 1, now: { sent: 0 } });
    expect(await machine.send(fixed, words)).toMatchObject({ code: 0, changed: 1, now: { sent: 0 } });
    expect(machine.texts(2)).toEqual(['P2,B3']);
  });

  it('that differ in zeros and spaces are the same order', async ({ machine }) => {
    await machine.send([order(1, '17'), order(1, '18')], '--batch monday --per order');
    const same = await machine.send([order(1, '0017'), order(1, ' 18 ')], '--batch monday --per order');
    expect(same).toMatchObject({ code: 0, sent: 2, now: { sent: 0 } });
    expect(machine.tally()).toEqual({ 2: 1 });
  });
});
