import { describe, expect, it } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { addOptOuts } from '../../src/store/opt-outs.ts';
import { delivery } from '../webhooks/rig.ts';
import { service } from './access-rig.ts';
import { friday, machineWith, makeBatch, type Person, refused, sendSingle, sent, silent } from './batches-rig.ts';

const now = () => friday + 60_000;
const [ada, grace, edsger, barbara] = ['+491701000001', '+491701000002', '+491701000003', '+491701000004'];
const at = '2025-11-28T16:10:00.000Z';

async function reporting(people: readonly Person[], options: Parameters<typeof makeBatch>[2] = {}) {
  const machine = await machineWith(people, options);
  const report = (words = '', options = {}) => machine.run(`batches report${words}`, { now, ...options });
  const rows = (words = '') => machine.json(`batches report${words}`, { now });
  return { ...machine, report, rows };
}

const people: readonly Person[] = [
  { phone: ada, name: 'Ada', answer: { kind: 'sent', messageId: 'msg_7' } },
  { phone: grace, name: 'Grace; Hopper', answer: refused },
  { phone: edsger, answer: silent },
  { phone: edsger, name: 'again' },
  { phone: barbara },
];

describe('batches report', () => {
  it('has every row with the columns of its file, and what became of it', async () => {
    const { rows, batch } = await reporting(people);
    const rest = { bizmsg_id: null, bizmsg_by: null, bizmsg_delivery: null };
    const row = (n: number, outcome: string, time: string | null = null, reason: string | null = null) => ({
      ...rest,
      bizmsg_row: `${batch.id}-${n}`,
      bizmsg_line: n + 1,
      bizmsg_outcome: outcome,
      bizmsg_time: time,
      bizmsg_reason: reason,
    });
    expect(await rows()).toEqual([
      { ...row(1, 'sent', at), phone: ada, name: 'Ada', bizmsg_id: 'msg_7' },
      { ...row(2, 'failed', at, 'refused: unknown number'), phone: grace, name: 'Grace; Hopper' },
      { ...row(3, 'unsure', at, 'the connection broke'), phone: edsger, name: '' },
      { ...row(4, 'not-sent', null, 'listed twice'), phone: edsger, name: 'again' },
      { ...row(5, 'waiting'), phone: barbara, name: '' },
    ]);
  });

  it('is TSV in a pipe, and CSV with the separator of the file for a spreadsheet', async () => {
    const { report, batch } = await reporting(people.slice(0, 2));
    const head = ['phone', 'name', 'row', 'line', 'outcome', 'time', 'reason', 'id', 'by', 'delivery'];
    const columns = head.map((name, index) => (index < 2 ? name : `bizmsg_${name}`));
    const first = [ada, 'Ada', `${batch.id}-1`, '2', 'sent', at, '', 'msg_7', '', ''];
    const tsv = (await report()).stdout.split('\n');
    expect(tsv.slice(0, 2)).toEqual([columns.join('\t'), first.join('\t')]);
    const csv = (await report(' -o csv')).stdout.split('\n');
    expect(csv.slice(0, 2)).toEqual([`\ufeff${columns.join(';')}`, first.join(';')]);
    expect((await report('', { stdout: 'file' })).stdout.split('\n')).toEqual(csv);
    expect(csv[2]).toMatch(/^\+491701000002;"Grace; Hopper";/);
  });

  it('is filtered by --outcome', async () => {
    const { report } = await reporting(people);
    const lines = async (outcomes: string) =>
      (await report(` --columns bizmsg_line --no-header --outcome ${outcomes}`)).stdout;
    for (const [at, outcome] of ['sent', 'failed', 'unsure', 'not-sent', 'waiting'].entries())
      expect([outcome, await lines(outcome)]).toEqual([outcome, `${at + 2}\n`]);
    expect(await lines('failed --outcome unsure')).toBe('3\n4\n');
  });

  it('says who sent it before, and who has it', async () => {
    const { ledger, rows } = await reporting([{ phone: ada, answer: sent }], { name: 'vip', at: friday - 3_600_000 });
    await sendSingle(ledger, grace, sent, friday - 60_000);
    await makeBatch(ledger, [{ phone: ada }, { phone: grace }]);
    const held = { bizmsg_outcome: 'not-sent', bizmsg_by: 'a single message', bizmsg_reason: 'another text' };
    expect(await rows(' autumn')).toMatchObject([
      { bizmsg_outcome: 'sent', bizmsg_by: 'vip', bizmsg_time: '2025-11-28T15:10:00.000Z' },
      { ...held, bizmsg_time: '2025-11-28T16:09:00.000Z' },
    ]);
  });

  it('says who opted out, and what was cancelled', async () => {
    const { ledger, rows, batch, run } = await reporting([{ phone: barbara }]);
    await addOptOuts(ledger, service, [{ phone: ada, at: friday, word: '' }]);
    await makeBatch(ledger, [{ phone: ada }, { phone: barbara }], { target: batch });
    await run(`batches cancel autumn --person ${barbara}`, { now });
    expect(await rows()).toMatchObject([{ bizmsg_reason: 'cancelled' }, { bizmsg_reason: 'opted out' }]);
  });

  it('counts what a process has under way as unsure', async () => {
    const { ledger, rows } = await reporting([{ phone: ada }]);
    await ledger.write(() => query("UPDATE item SET state = 'under way'"));
    await ledger.write(() => query('UPDATE batch SET until = $1', friday + 90_000));
    expect(await rows()).toMatchObject([{ bizmsg_outcome: 'unsure', bizmsg_reason: 'on its way' }]);
    await ledger.write(() => query('UPDATE batch SET until = 0'));
    expect(await rows()).toMatchObject([{ bizmsg_outcome: 'unsure', bizmsg_reason: 'the process ended' }]);
  });

  it('has what events said about a message', async () => {
    const { logs, rows } = await reporting(people.slice(0, 1));
    const { received } = await logs(now);
    const data = { message_id: 'msg_7', reason: 'not on this service' };
    await received(delivery(JSON.stringify({ type: 'message.failed', data })));
    expect(await rows()).toMatchObject([
      { bizmsg_outcome: 'sent', bizmsg_delivery: 'failed', bizmsg_reason: 'not on this service' },
    ]);
  });

  it('has empty cells once they are erased', async () => {
    const { ledger, rows } = await reporting(people.slice(0, 1));
    await ledger.write(() => query('UPDATE item SET body = NULL, cells = NULL'));
    expect(await rows()).toMatchObject([{ phone: null, name: null, bizmsg_outcome: 'sent', bizmsg_id: 'msg_7' }]);
  });

  it('has all columns of rows that each have others', async () => {
    const orders = [{ phone: ada }, { phone: grace, order: '7' }];
    const { report } = await reporting(orders, { columns: '{"names":null,"separator":null}' });
    const lines = (await report(' -o csv --columns phone,name,order')).stdout.split('\n');
    expect(lines).toEqual(['\ufeffphone,name,order', `${ada},,`, `${grace},,7`, '']);
  });

  it('has thousands of rows in their order', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => ({ phone: `+4917010${10_000 + index}` }));
    const { report } = await reporting(many);
    const { stdout } = await report(' --columns phone --no-header');
    expect(stdout).toBe(many.map(({ phone }) => `${phone}\n`).join(''));
  });
});
