import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { words } from '../support/shell-words.ts';
import { local } from './sandbox-rig.ts';

async function openTrigger() {
  const { home, sandbox } = await local();
  return { sandbox, run: (line: string) => cli(words(`sandbox trigger ${line}`), { home }) };
}

describe('sandbox trigger', () => {
  it('prints a line for each event', async () => {
    const { run, sandbox } = await openTrigger();
    const { code, stdout, stderr } = await run('message.received --text Hi');
    expect([code, stderr]).toEqual([0, '']);
    const [created, received] = sandbox.events();
    const at = '2026-05-01T12:00:00.000Z';
    const first = `${at}  contact.created  ${created?.id}  ${sandbox.contacts().at(-1)?.id}\n`;
    expect(stdout).toBe(`${first}${at}  message.received  ${received?.id}  ${received?.message}\n`);
  });

  it('prints the whole result as JSON', async () => {
    const { run, sandbox } = await openTrigger();
    const { stdout } = await run('order.paid --amount 49.90 --currency EUR --contact +12025550113 -o json');
    const event = sandbox.events()[0];
    const expected = { amount: '49.90', currency: 'EUR', contact_id: 'con_sandbox_3', provider: 'sandbox' };
    expect(event?.data).toMatchObject(expected);
    const at = '2026-05-01T12:00:00.000Z';
    expect(JSON.parse(stdout)).toEqual({
      order_id: event?.data['order_id'],
      contact_id: 'con_sandbox_3',
      events: [{ id: event?.id, type: 'order.paid', at, data: event?.data }],
    });
  });

  it.each([
    ['message.received --from +12025550199 --text Hi', { from: '+12025550199', text: 'Hi' }],
    ['message.delivered --to +12025550142', { to: '+12025550142', template: 'order_update' }],
    ['message.read --to +12025550142 --template welcome', { to: '+12025550142', template: 'welcome' }],
    ['message.failed --to +12025550142 --reason a --reason-text b', { reason: { code: 'a', message: 'b' } }],
    ['flow.completed --contact con_sandbox_2 --flow Survey', { flow: 'Survey', contact_id: 'con_sandbox_2' }],
    ['broadcast.completed --campaign cmp_sandbox_3 --tag vip', { campaign_id: 'cmp_sandbox_3', audience: 1 }],
    ['broadcast.completed --name Sale --template welcome', { name: 'Sale', template: 'welcome', audience: 5 }],
    ['contact.created --phone +12025550142 --name Ada --tags vip,lead', { name: 'Ada', tags: ['vip', 'lead'] }],
    ['order.paid --provider acme', { provider: 'acme', amount: '10.00', currency: 'USD' }],
  ])('%s applies its options', async (line, data) => {
    const { run, sandbox } = await openTrigger();
    expect(await run(line)).toMatchObject({ code: 0, stderr: '' });
    expect(sandbox.events().at(-1)?.data).toMatchObject(data);
  });

  it('accepts a message id', async () => {
    const { run, sandbox } = await openTrigger();
    await run('message.delivered --to +12025550142');
    expect(await run(`message.read --message ${sandbox.messages()[0]?.id}`)).toMatchObject({ code: 0 });
    expect(sandbox.messages()).toMatchObject([{ status: 'read' }]);
  });

  it.each([
    ['', '<event> is missing'],
    ['message.recieved', 'did you mean message.received?'],
    ['message.received --reason-text x', '--reason is unknown; known: from, text'],
    ['message.received --from 12025550101', 'did you mean +12025550101?'],
    ['order.paid --amount 1,50', '--amount must be an amount with a point'],
    ['contact.created --tags vip,', 'has an empty name'],
  ])('%s exits 2 and triggers nothing', async (line, message) => {
    const { run, sandbox } = await openTrigger();
    expect(await run(line)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(sandbox.events()).toEqual([]);
  });

  it.each([
    ['message.read', 5, 'there is no message yet: send one, or pass --to for a new one'],
    ['contact.created --phone +12025550111', 2, 'is already a contact'],
    ['broadcast.completed --campaign cmp_sandbox_1', 2, 'is already COMPLETED; pass --name for a new one'],
    ['flow.completed --contact none', 5, 'there is no contact none'],
  ])('%s exits %i with a suggestion', async (line, exit, message) => {
    const { run, sandbox } = await openTrigger();
    expect(await run(line)).toMatchObject({ code: exit, stdout: '', stderr: expect.stringContaining(message) });
    expect(sandbox.events()).toEqual([]);
  });
});
