import { describe, expect } from 'vitest';
import { people, phoneOf, type Row } from './people.ts';
import { day, it, type Machine } from './rig.ts';

const all = people(1, 200);
const withPhone = (number: number, phone: string): readonly Row[] =>
  all.map((row, at) => (at + 1 === number ? { ...row, phone } : row));
const refuses = (machine: Machine, ...phones: readonly string[]) =>
  (machine.reply = ({ phone }) => (phones.includes(phone) ? 422 : 200));

describe('a wrong phone that is fixed in the file', () => {
  it.for([
    ['is no phone number', 'unknown'],
    ['is empty', ''],
    ['is refused by the service', phoneOf(999)],
  ] as const)('and %s: that person gets it, nobody else, and the rows add up', async ([, wrong], { machine }) => {
    refuses(machine, phoneOf(999));
    const first = await machine.send(withPhone(7, wrong), '--batch autumn');
    expect(first).toMatchObject({ code: 10, rows: 200, sent: 199, failed: 1 });
    const fixed = await machine.send(all, '--batch autumn');
    expect(fixed).toMatchObject({ code: 0, rows: 200, sent: 200, failed: 0, now: { sent: 1, failed: 0 } });
    expect(machine.tally()).toEqual({ 1: 200 });
    expect(await machine.report('autumn')).toHaveLength(200);
  });

  it('in the report, which is sent again', async ({ machine }) => {
    await machine.send(withPhone(7, 'unknown').slice(0, 10), '--batch autumn');
    const { stdout } = await machine.run('batches report autumn --outcome failed -o csv');
    const fix = machine.writeText(stdout.replace('unknown', phoneOf(7)), 'fix.csv');
    const typed = ['send-batch', 'welcome', fix, '--batch', 'autumn', '--at-most', '10', '-o', 'json'];
    const { code, stdout: summary } = await machine.run(typed);
    expect({ code, ...JSON.parse(summary) }).toMatchObject({ code: 0, rows: 1, sent: 1, others: 0 });
    expect(machine.tally()).toEqual({ 1: 10 });
    expect(await machine.report('autumn')).toHaveLength(10);
  });

  it('and is wrong again: told again', async ({ machine }) => {
    refuses(machine, phoneOf(998), phoneOf(999));
    await machine.send(withPhone(7, phoneOf(999)), '--batch autumn');
    const again = await machine.send(withPhone(7, phoneOf(998)), '--batch autumn');
    expect(again).toMatchObject({ code: 10, sent: 199, failed: 1, now: { failed: 1 } });
    expect(machine.tally()).toEqual({ 1: 199 });
  });
});

describe('a row that the service refused', () => {
  it('is not tried again by the same line, and told once; --resend failed tries it', async ({ machine }) => {
    refuses(machine, phoneOf(7));
    expect(await machine.send(all, '--batch autumn')).toMatchObject({ code: 10, failed: 1, now: { failed: 1 } });
    expect(await machine.send(all, '--batch autumn')).toMatchObject({ code: 0, failed: 1, now: { failed: 0 } });
    machine.reply = () => 200;
    expect(await machine.send(all, '--batch autumn')).toMatchObject({ code: 0, failed: 1, now: { sent: 0 } });
    const resent = await machine.send(all, '--batch autumn --resend failed');
    expect(resent).toMatchObject({ code: 0, failed: 0, now: { sent: 1 } });
    expect(machine.tally()).toEqual({ 1: 200 });
  });

  it('was sent by hand meanwhile: it counts as sent', async ({ machine }) => {
    refuses(machine, phoneOf(7));
    await machine.send(all, '--batch autumn');
    machine.reply = () => 200;
    expect((await machine.single(all[6])).code).toBe(0);
    const resent = await machine.send(all, '--batch autumn --resend failed');
    expect(resent).toMatchObject({ code: 10, sent: 200, now: { sent: 0 }, before: [{ batch: null, sent: 1 }] });
    expect(machine.tally()).toEqual({ 1: 200 });
  });
});

describe('an unsure row', () => {
  const replies = [408, 409, 500, 'reset'] as const;

  it.for(replies)('after %s is told each time and not sent; --resend unsure sends it', async (reply, { machine }) => {
    machine.reply = ({ phone }) => (phone === phoneOf(7) ? reply : 200);
    const words = '--batch autumn';
    expect(await machine.send(all, words)).toMatchObject({ code: 10, sent: 199, unsure: 1, now: { unsure: 1 } });
    machine.reply = () => 200;
    machine.wait(30 * day);
    expect(await machine.send(all, words)).toMatchObject({ code: 10, unsure: 1, now: { sent: 0, unsure: 0 } });
    const resent = await machine.send(all, `${words} --resend unsure`);
    expect(resent).toMatchObject({ code: 0, sent: 200, unsure: 0, now: { sent: 1 } });
    expect(await machine.send(all, `${words} --resend unsure`)).toMatchObject({ code: 0, now: { sent: 0 } });
    expect(machine.texts(7)).toEqual(['P7', 'P7']);
    expect(machine.tally()).toEqual({ 1: 199, 2: 1 });
  });

  it.for([
    ['--sent', { code: 0, sent: 200, now: { sent: 0 } }, 1],
    ['--not-sent', { code: 0, sent: 200, now: { sent: 1 } }, 2],
  ] as const)('that someone marks %s', async ([mark, ended, texts], { machine }) => {
    machine.reply = ({ phone }) => (phone === phoneOf(7) ? 500 : 200);
    await machine.send(all, '--batch autumn');
    machine.reply = () => 200;
    expect((await machine.run(`batches mark autumn ${mark}`)).code).toBe(0);
    expect(await machine.send(all, '--batch autumn')).toMatchObject(ended);
    expect(machine.texts(7)).toHaveLength(texts);
  });

  it('of one person in a batch and as a single message is marked by the phone', async ({ machine }) => {
    machine.reply = ({ phone }) => (phone === phoneOf(7) ? 500 : 200);
    expect((await machine.single(all[6])).code).toBe(13);
    expect(await machine.send(all, '--batch autumn')).toMatchObject({ code: 10, sent: 199, not_sent: 1 });
    machine.reply = () => 200;
    expect((await machine.run(`batches mark ${phoneOf(7)} --sent`)).code).toBe(0);
    const told = await machine.send(all, '--batch autumn');
    expect(told).toMatchObject({ code: 10, sent: 200, before: [{ batch: null, sent: 1 }] });
    expect(await machine.send(all, '--batch autumn')).toMatchObject({ code: 0, now: { sent: 0 } });
    expect(machine.tally()).toEqual({ 1: 200 });
  });

  it('is sent once more by batches resume, without the file', async ({ machine }) => {
    machine.reply = ({ phone }) => (phone === phoneOf(7) ? 500 : 200);
    await machine.send(all, '--batch autumn');
    machine.reply = () => 200;
    expect(await machine.resume('autumn', '--resend unsure')).toMatchObject({ code: 0, sent: 200, now: { sent: 1 } });
    expect(machine.texts(7)).toEqual(['P7', 'P7']);
  });
});
