import { describe, expect } from 'vitest';
import { people, phoneOf, type Row } from './people.ts';
import { it, type Machine } from './rig.ts';

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
});

describe('a row that the service refused', () => {
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
