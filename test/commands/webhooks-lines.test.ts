import { expect, it } from 'vitest';
import { itemLine } from '../../src/commands/webhooks/listen.ts';
import { createUi, plain } from '../../src/cli/output/ui.ts';
import type { Item } from '../../src/webhooks/items.ts';

const at = new Date(2026, 10, 21, 14, 36, 56, 120);
const event = {
  type: 'event',
  id: 'e1fq8zk3m00',
  received_at: at.toISOString(),
  name: 'message.failed',
  message_id: 'msg_1',
  phone: '+12025550102',
  reason: 'undeliverable: this test number always fails',
  about: null,
  signature: { verdict: 'good' },
  again: false,
  path: '/',
  headers: {},
  body: null,
} as const;
const sent = { type: 'forwarded', event: event.id, url: 'http://localhost:3000/', ms: 30_001, attempt: 1 } as const;

it('breaks the line of an event between its fields, and a long field at its spaces', async () => {
  expect(await lines(event, 40)).toEqual([
    '14:36:56.120  e1fq8zk3m00',
    '  message.failed  +12025550102  msg_1',
    '  undeliverable: this test number always',
    '  fails  signed',
  ]);
});

it('prints one line to a pipe, with the time in UTC', async () => {
  const [line, ...others] = await lines(event, 40, false);
  expect([line?.split('  ')[0], others]).toEqual([at.toISOString(), []]);
});

it('marks a repeated event', async () => {
  expect((await lines({ ...event, again: true }, 40)).at(-1)).toBe('  fails  signed  repeated');
});

it('shows the amount and id of an event without a message', async () => {
  const paid = {
    ...event,
    name: 'order.paid',
    message_id: null,
    phone: null,
    reason: null,
    about: '12.50 EUR ord_1',
  };
  expect(await lines(paid, 79)).toEqual(['14:36:56.120  e1fq8zk3m00  order.paid  12.50 EUR ord_1  signed']);
});

it('aligns the columns of different events, unless the terminal is narrow', async () => {
  const changes = [
    { name: 'message.delivered', reason: null },
    { name: 'message.received', message_id: 'msg_2', reason: null, about: 'Hello there' },
    { name: 'contact.created', message_id: null, phone: '+12025550142', reason: null, about: 'con_1 Ada' },
    { name: 'broadcast.completed', message_id: null, phone: null, reason: null, about: 'cmp_1' },
  ];
  const shown = await Promise.all(changes.map((change) => lines({ ...event, ...change }, 120)));
  expect(shown.flat()).toEqual([
    '14:36:56.120  e1fq8zk3m00  message.delivered    +12025550102  msg_1  signed',
    '14:36:56.120  e1fq8zk3m00  message.received     +12025550102  msg_2  Hello there  signed',
    '14:36:56.120  e1fq8zk3m00  contact.created      +12025550142  con_1 Ada  signed',
    '14:36:56.120  e1fq8zk3m00  broadcast.completed                cmp_1  signed',
  ]);
});

it.each([
  [{ status: 204 }, '  → 204 in 30001 ms'],
  [{ error: 'no whole answer within 30 s' }, '  → no whole answer within 30 s'],
])('shows how long forwarding took, unless the error includes it: %j', async (result, text) => {
  expect(await lines({ ...sent, ...result }, 80)).toEqual([`${text}  ${event.id}  ${sent.url}`]);
});

async function lines(item: Item, width: number, terminal = true): Promise<readonly string[]> {
  const out = { isTTY: terminal, columns: width, write: async () => {} };
  const ui = createUi({ stdout: out, stderr: out, now: () => at.getTime() }, plain, () => undefined);
  return itemLine(item, ui, false).split('\n');
}
