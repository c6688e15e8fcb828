import { describe, expect, it } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { addOptOuts } from '../../src/store/opt-outs.ts';
import { delivery } from '../webhooks/rig.ts';
import { service } from './access-rig.ts';
import { batchMachine, friday, makeBatch, refused, sendSingle, sent, silent } from './batches-rig.ts';

const now = () => friday + 60_000;
const [ada, grace, edsger] = ['+491701000001', '+491701000002', '+491701000003'];
const event = (type: string, data: object) => delivery(JSON.stringify({ type, data }));

/** A machine with a batch and a single message. */
async function withMessages() {
  const machine = await batchMachine();
  const ledger = await machine.open('ledger');
  await sendSingle(ledger, grace, silent, friday - 3_600_000);
  await makeBatch(ledger, [
    { phone: ada, name: 'Ada', answer: { kind: 'sent', messageId: 'msg_7' } },
    { phone: grace, name: 'Grace', answer: sent },
    { phone: edsger, answer: refused },
    { phone: '12', problem: 'phone: "12" is not a phone number' },
    { phone: '+491701000004' },
  ]);
  return { ...machine, ledger, json: (line: string) => machine.json(line, { now }) };
}

describe('history', () => {
  it('has what was sent from here, the newest last', async () => {
    const { json } = await withMessages();
    expect(await json('history')).toMatchObject([
      { phone: grace, outcome: 'unsure', batch: null, text: 'Ada · 10 %', at: '2025-11-28T15:10:00.000Z' },
      { phone: ada, outcome: 'sent', batch: 'autumn', template: 'sale', profile: 'blumen', mode: 'live', id: 'msg_7' },
      { phone: edsger, outcome: 'failed', reason: 'refused: unknown number' },
    ]);
  });

  it.each([
    ['--limit 2', [ada, edsger]],
    ['--since 10m', [ada, edsger]],
    ['--since 2025-11-28T15:00:00Z --limit 9', [grace, ada, edsger]],
    ['--profile blumen', [grace, ada, edsger]],
    ['--profile beta', []],
  ])('is limited by %s', async (words, phones) => {
    const { run, login } = await withMessages();
    await login('beta --account beta');
    const { stdout } = await run(`history ${words} --columns phone --no-header`, { now });
    expect(stdout).toBe(phones.map((phone) => `${phone}\n`).join(''));
  });

  it('begins with who it is on a terminal only', async () => {
    const { run } = await withMessages();
    const head = (stderr: string) => stderr.split('\n').filter((line) => line.startsWith(`${ada} · `));
    const words = `history ${ada} --no-color`;
    expect(head((await run(words, { now, terminal: 120 })).stderr)).toEqual([`${ada} · blumen`]);
    expect(head((await run(words, { now })).stderr)).toEqual([]);
  });

  it('shows the 50 newest on a terminal', async () => {
    const { ledger, run } = await withMessages();
    const many = Array.from({ length: 60 }, (_, at) => ({ phone: `+49170200${1_000 + at}`, answer: sent }));
    await makeBatch(ledger, many, { name: 'many', at: friday + 1 });
    const { stdout, stderr } = await run('history --no-color', { now, terminal: 120 });
    expect(stdout.split('\n')).toHaveLength(52);
    expect(stdout).toMatch(/^at +phone +template +text +outcome +batch/);
    expect(stderr).toContain('showing the 50 newest; --limit shows more');
  });

  it('is not that of the sandbox on this machine', async () => {
    const { open, run, json } = await withMessages();
    await makeBatch(await open('local'), [{ phone: ada, answer: sent }], { scope: { account: 'sandbox:1' } });
    expect(await json('history')).toHaveLength(3);
    expect((await run('history', { now })).stderr).toBe('note: bizmsg sandbox log lists those of the sandbox\n');
    expect(await run('history --profile local')).toMatchObject({ code: 2 });
  });

  it('marks a test', async () => {
    const { ledger, json } = await withMessages();
    await sendSingle(ledger, ada, sent, friday + 1, 'test');
    expect(await json('history --limit 1')).toMatchObject([{ phone: ada, outcome: 'sent', reason: 'a test' }]);
  });
});

describe('the history of a person', () => {
  it('names the log of the sandbox', async () => {
    const { run } = await batchMachine();
    const hint = 'bizmsg sandbox log lists those of the sandbox';
    expect((await run(`history ${ada}`)).stderr).toBe(
      `note: no messages to or from ${ada} with real accounts; ${hint}\n`,
    );
  });

  it('has everything to and from them, the newest first', async () => {
    const { ledger, logs, json } = await withMessages();
    await makeBatch(ledger, [{ phone: ada, name: 'Ada' }], { name: 'winter', at: friday + 1_000 });
    await addOptOuts(ledger, service, [{ phone: ada, at: friday + 40_000, word: 'STOP' }]);
    const { received } = await logs(() => friday + 30_000);
    await received(event('message.read', { message_id: 'msg_7' }));
    await received(event('message.received', { message_id: 'in_1', from: ada, to: '+4930123456', text: 'Thanks' }));
    await received(event('message.received', { message_id: 'in_2', from: grace, to: '+4930123456', text: 'Who?' }));
    expect(await json(`history ${ada}`)).toMatchObject([
      { direction: 'in', outcome: 'opted out', text: 'STOP', profile: 'blumen' },
      { direction: 'in', text: 'Thanks', at: '2025-11-28T16:10:30.000Z' },
      { outcome: 'read', outcome_at: '2025-11-28T16:10:30.000Z', text: 'Ada · 20 %', batch: 'autumn' },
      { direction: 'out', outcome: 'not-sent', reason: 'got it before, by batch autumn', batch: 'winter' },
    ]);
  });

  it.each([
    { words: '+49 1701000004', stderr: "quote the phone: '+49 1701000004'" },
    { words: 'delete', stderr: 'write bizmsg history delete <phone>' },
    { words: 'nobody', stderr: '"nobody" is not a phone number' },
  ])('needs one phone, not "$words"', async ({ words, stderr }) => {
    const { run } = await withMessages();
    expect(await run(`history ${words}`)).toMatchObject({ code: 2, stderr: expect.stringContaining(stderr) });
  });
});

describe('history delete', () => {
  it('erases a person with messages and events, but no opt-out', async () => {
    const { ledger, logs, json, open, run } = await withMessages();
    const local = await open('local');
    const scope = { account: 'sandbox:1', kind: 'import', template: '' } as const;
    await makeBatch(local, [{ phone: ada, answer: sent }], { scope });
    await addOptOuts(ledger, service, [{ phone: ada, at: friday, word: '' }]);
    const { received, all } = await logs(now);
    await received(event('message.received', { from: ada, text: 'Thanks' }));
    await received(event('message.received', { from: grace, text: 'Who?' }));
    expect((await run(`history delete ${ada}`)).stderr).toContain(`Erase all that is recorded about ${ada}?`);
    const erased = { phone: ada, messages: 2, events: 1, waiting_in: null };
    expect(await json(`history delete ${ada} --yes`)).toEqual([erased]);
    expect(await json(`history ${ada}`)).toMatchObject([{ outcome: 'opted out' }]);
    expect(await all()).toHaveLength(1);
    expect(await local.read(() => query('SELECT n FROM item'))).toEqual([]);
  });

  it('names the batches that still have them', async () => {
    const { run } = await withMessages();
    expect(await run('history delete +491701000004 --yes', { now })).toEqual({
      code: 0,
      stdout: 'phone\tmessages\tevents\twaiting_in\n+491701000004\t0\t0\tautumn\n',
      stderr: 'note: batch autumn still has them: bizmsg batches cancel autumn --person +491701000004\n',
    });
  });
});
