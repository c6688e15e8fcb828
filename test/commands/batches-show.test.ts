import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { addOptOuts } from '../../src/store/opt-outs.ts';
import { cli } from '../support/cli.ts';
import { delivery, logsIn } from '../webhooks/rig.ts';
import { service } from './access-rig.ts';
import { friday, machineWith, makeBatch, type Person, refused, sent, silent } from './batches-rig.ts';
import { local } from './sandbox-rig.ts';
import { signed } from './webhooks-rig.ts';

const now = () => friday + 60_000;
const [ada, grace, edsger, barbara] = ['+491701000001', '+491701000002', '+491701000003', '+491701000004'];
const wrong = (phone: string) => ({ phone, problem: `phone: "${phone}" is not a phone number` });
const receipt = (type: string, id: string) => delivery(JSON.stringify({ type, data: { message_id: id } }));

/** A machine, and the lines of a batch on it. */
async function showing(people: readonly Person[], options: Parameters<typeof makeBatch>[2] = {}) {
  const machine = await machineWith(people, options);
  const lines = async (words = '') => {
    const { stdout, stderr } = await machine.run(`batches show${words}`, { now });
    return (stdout || stderr).replaceAll(machine.batch.id, 'ID').trimEnd().split('\n');
  };
  return { ...machine, lines };
}

describe('batches show', () => {
  it('has a line for each outcome, with reasons and the next command', async () => {
    const vip = { name: 'sale-vip', at: friday - 3_600_000 };
    const { ledger, lines } = await showing([{ phone: ada, answer: sent }], vip);
    await addOptOuts(ledger, service, [{ phone: barbara, at: friday - 1, word: 'STOP' }]);
    const people = [ada, grace, grace, barbara].map((phone) => ({ phone }));
    const others = [
      { phone: '+491701000005', answer: sent },
      { phone: '+491701000006', answer: refused },
      { phone: '+491701000007', answer: silent },
    ];
    await makeBatch(ledger, [...others, ...people, ...['12', '13', '14', '15'].map(wrong)]);
    expect(await lines()).toEqual([
      expect.stringMatching(/^Batch autumn · stopped .*16:10 · LIVE blumen · \w{12}$/),
      expect.stringMatching(/^sale · people\.csv, 11 rows, .*16:10$/),
      '     2 sent      1 by sale-vip',
      '     1 waiting   bizmsg batches resume autumn',
      '     5 failed    4 phone: "12" is not a phone number (line 9), "13" (line 10), "14" (line 11) and 1 more · 1 refused: unknown number (line 3)',
      '     1 unsure    the connection broke',
      '     1 of these  bizmsg batches mark autumn --sent, or --not-sent',
      '     2 not sent  1 listed twice (line 7) · 1 opted out',
      'The 5:      bizmsg batches report autumn --outcome failed > fix.csv',
      '            correct it, then: bizmsg send-batch sale fix.csv --batch autumn',
    ]);
  });

  it('has the text of a template that was seen in that account and mode', async () => {
    const { stateFolder, lines } = await showing([{ phone: ada, answer: sent }]);
    const line = (mode: string, text: string) =>
      `${JSON.stringify({ place: `${service} ${mode}`, name: 'sale', text, variables: ['1', '2'] })}\n`;
    const seen = line('sandbox', 'Test') + line('live', 'Hello {{1}},\n{{ 2 }} off.');
    writeFileSync(join(stateFolder, 'templates.txt'), seen);
    expect((await lines())[1]).toMatch(/^sale: Hello \{1\}, \{2\} off\. · people\.csv, 1 row, /);
  });

  it('counts what was delivered and read', async () => {
    const answerOf = (at: number) => ({ kind: 'sent', messageId: `msg_${at}` }) as const;
    const { logs, lines } = await showing([ada, grace, edsger].map((phone, at) => ({ phone, answer: answerOf(at) })));
    const { received } = await logs(() => friday + 20 * 60_000);
    const receipts = { msg_0: 'delivered', msg_1: 'read', msg_of_another_batch: 'delivered', msg_2: 'failed' };
    for (const [id, status] of Object.entries(receipts)) await received(receipt(`message.${status}`, id));
    expect((await lines())[2]).toMatch(/^ {5}3 sent {6}2 delivered, 1 read, 1 not delivered \(events until .*16:30\)$/);
  });

  it('has no time of events if the local sandbox says what was delivered', async () => {
    const { home, sandbox } = await local();
    const run = async (line: string) => (await cli([...line.split(' '), '--profile', 'local'], { home })).stdout;
    const { received } = await logsIn(join(home, '.local/state/bizmsg'), () => friday);
    const body = JSON.stringify({ type: 'message.read', data: { message_id: 'msg_of_another_batch' } });
    const headers = signed(body, { by: sandbox.secret(), at: friday });
    await received(delivery(body, { headers }));
    writeFileSync(join(home, 'people.csv'), `phone\n${ada}\n`);
    await run(`send-batch welcome ${join(home, 'people.csv')}`);
    await sandbox.time.advance(60_000);
    expect(await run('batches show')).toMatch(/ 1 sent {6}1 delivered, 1 read$/m);
  });

  const elsewhere = `worker = '4711:1@a.1.laptop-2:00000001', until = ${friday + 90_000}`;
  it.each([
    [/^Batch autumn · cancelled /, 'is_cancelled = 1'],
    [/^Batch autumn · its load was cut off /, 'loading = 1'],
    [/^Batch autumn · process 4711 on laptop-2 works on it · /, elsewhere],
  ])('says in its first line: %s', async (head, change) => {
    const { ledger, lines } = await showing([{ phone: ada }]);
    await ledger.write(() => query(`UPDATE batch SET ${change}`));
    expect((await lines())[0]).toMatch(head);
  });

  it('names the profile of a batch that is not of the one in use', async () => {
    const { login, lines } = await showing([{ phone: ada }], { scope: { account: 'beta', mode: 'sandbox' } });
    await login('beta --account beta');
    expect((await lines()).slice(0, 3)).toEqual([
      expect.stringMatching(/ · sandbox beta · ID$/),
      expect.any(String),
      '     1 waiting   bizmsg batches resume autumn --profile beta --mode sandbox',
    ]);
  });

  it('shows an import', async () => {
    const scope = { kind: 'import', template: '' } as const;
    const { lines } = await showing([{ phone: ada, answer: { kind: 'sent' } }], { scope });
    expect((await lines()).slice(1)).toEqual([expect.stringMatching(/^contacts · people\.csv, /), '     1 imported']);
  });

  it('never has more than 20 lines on a terminal', async () => {
    const long = (at: number) => `param ${at}: ${'it is empty '.repeat(30)}`;
    const people = Array.from({ length: 99 }, (_, at) => ({ name: String(at), problem: long(at) }));
    const { ledger, run } = await showing(people);
    await ledger.write(() => query("UPDATE item SET state = 'unsure', reason = reason || n WHERE n > 50"));
    await ledger.write(() => query("UPDATE item SET state = 'not sent' WHERE n > 75"));
    const { stdout } = await run('batches show --no-color', { now, terminal: 80 });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines[2]).toMatch(/^ {4}50 failed {4}1 param 0: it is empty/);
  });

  it('is one object in JSON', async () => {
    const { json, batch } = await showing([{ phone: ada, answer: sent }, { phone: grace }, wrong('12')]);
    const about = { name: 'autumn', id: batch.id, state: 'stopped', profile: 'blumen', file: '/home/ada/people.csv' };
    const counts = { rows: 3, sent: 1, waiting: 1, failed: 1, unsure: 0, not_sent: 0 };
    const reasons = [{ outcome: 'failed', reason: 'phone: "12" is not a phone number', count: 1, lines: [4] }];
    const shown = await json('batches show autumn', { now });
    expect(shown).toMatchObject({ ...about, ...counts, reasons, before: [], delivery: null });
  });
});
