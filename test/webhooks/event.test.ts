import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createIds } from '../../src/sandbox/state/ids.ts';
import { eventOf, mentions, type WebhookEvent } from '../../src/webhooks/event/event.ts';
import { aboutIn, fieldsOf } from '../../src/webhooks/event/payload-guesses.ts';
import type { Headers } from '../../src/delivery/headers.ts';
import { delivery } from './rig.ts';

const tooLarge = 'when decompressed, it is larger than 1 MiB or 100 times its size';

describe('the body of an event', () => {
  it.each([
    ['a JSON object', '{"a":1}', { kind: 'json', value: { a: 1 } }],
    ['JSON that is not an object', ' null\n', { kind: 'json', value: null }],
    ['JSON after a byte order mark', '\ufeff[1]', { kind: 'json', value: [1] }],
    ['text', 'type=message.read', { kind: 'text', text: 'type=message.read' }],
    ['incomplete JSON as text', '{"a":', { kind: 'text', text: '{"a":' }],
    ['an empty body', '', { kind: 'none' }],
    ['bytes', Buffer.from([0xff, 0x00]), { kind: 'bytes', base64: '/wA=' }],
    ['JSON in Latin-1 as bytes', Buffer.from('{"a":"é"}', 'latin1'), { kind: 'bytes', base64: 'eyJhIjoi6SJ9' }],
  ])('is parsed by its content: %s', (_, bytes, expected) => {
    expect(seen(bytes).body).toEqual(expected);
  });

  it.each([
    ['gzip', gzipSync],
    ['GZIP ', gzipSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('is decoded according to its content-encoding: %s', (encoding, compress) => {
    const event = seen(compress(Buffer.from('{"type":"message.read"}')), [['Content-Encoding', encoding]]);
    expect(event).toMatchObject({ name: 'message.read', body: { kind: 'json' }, problem: undefined });
  });

  it.each([
    ['a decompression bomb', gzipSync(Buffer.alloc(200 * 1024 * 1024)), 'gzip', tooLarge],
    ['a body that unpacks to 1,000 times its size', gzipSync(Buffer.alloc(900_000)), 'gzip', tooLarge],
    ['bytes that are not gzip', Buffer.from('{}'), 'gzip', 'it is not valid gzip'],
    ['truncated gzip', gzipSync('{"a":1}').subarray(0, 20), 'gzip', 'it is not valid gzip'],
    ['another encoding', brotliCompressSync('{}'), 'br', 'unsupported content-encoding "br"'],
    ['two encodings', gzipSync(gzipSync('{}')), 'gzip, gzip', expect.stringContaining('unsupported content-encoding')],
  ])('is not decompressed, with the reason: %s', (_, bytes, encoding, problem) => {
    const event = seen(bytes, [['content-encoding', encoding]]);
    expect(event.problem).toEqual(problem);
    expect(event.body.kind).not.toBe('none');
  });
});

it('is not parsed if it has more values than any real event, with the reason', () => {
  const body = `[${'{},'.repeat(50_000)}{}]`;
  expect(seen(body)).toMatchObject({ body: { kind: 'text', text: body }, problem: 'it has more than 50000 values' });
});

describe('the name of an event', () => {
  it.each([
    ['at the top level', { type: 'message.read' }],
    ['under another key', { event_name: 'message.read' }],
    ['under an unrelated key', { foo: 'message.read' }],
    ['below the top level', { event: { id: 'evt_1', type: 'message.read' } }],
    ['below other texts', { id: 'evt_1', data: { attributes: { kind: 'message.read' } } }],
    ['at the top level if there is another below', { type: 'message.read', data: { type: 'order.paid' } }],
    ['under a typical key rather than an unrelated one', { status: 'order.paid', type: 'message.read' }],
    ['under the likelier key', { name: 'order.paid', type: 'message.read' }],
    ['beside a typical key whose value is not a name', { type: 'event', event: 'message.read' }],
    ['in several places with the same value', { data: { before: 'message.read', after: 'message.read' } }],
  ])('is found %s', (_, payload) => {
    expect(seen(JSON.stringify(payload)).name).toBe('message.read');
  });

  it.each([
    ['message.deleted', { type: 'message.deleted', data: { text: 'order.paid' } }],
    ['message.deleted', { event: { type: 'message.deleted' } }],
    ['template:approved', { topic: 'template:approved' }],
  ])('can be one that the document does not have: %s', (name, payload) => {
    expect(seen(JSON.stringify(payload)).name).toBe(name);
  });

  it.each([
    ['two names are equally likely', { data: { events: ['message.read', 'order.paid'] } }],
    ['it is part of a longer text', { type: 'a message.read came' }],
    ['only a file has one', { data: { name: 'photo.jpg' } }],
    ['only a person has one', { name: 'anna.b', type: 'person' }],
    ['it is a key, not a value', { 'message.read': true }],
    ['the values are not strings', { type: 7, event: null, name: ['x'] }],
    ['the values are names of prototype members', { type: 'constructor', event: '__proto__', name: 'toString' }],
  ])('is unknown if %s', (_, payload) => {
    expect(seen(JSON.stringify(payload)).name).toBeUndefined();
  });

  it('is read from a header if the body has none', () => {
    expect(seen('', [['X-Event', 'order.paid']]).name).toBe('order.paid');
    expect(seen('{"type":"message.read"}', [['X-Event', 'order.paid']]).name).toBe('message.read');
  });
});

it.each([
  ['the id of a message', { data: { message_id: 'msg_1' } }, { message_id: 'msg_1' }],
  ['a message id that is a number', { message_id: 7 }, { message_id: '7' }],
  ['the id of a message object', { data: { message: { id: 'msg_1' } } }, { message_id: 'msg_1' }],
  ['the outermost of two ids', { a: { b: { message_id: 'no' } }, c: { message_id: 'x' } }, { message_id: 'x' }],
  ['the recipient', { data: { to: '+12025550101', from: '+1' } }, { phone: '+12025550101' }],
  ['the recipient in an array', { to: [{ phone: '12025550101' }] }, { phone: '12025550101' }],
  ['the sender if there is no recipient', { from: '+12025550101' }, { phone: '+12025550101' }],
  ['no recipient for a period of time', { from: '2026-01-01', to: '2026-01-31' }, { phone: undefined }],
  ['a reason', { data: { reason: 'no such number' } }, { reason: 'no such number' }],
  ['a reason with a code', { reason: { code: 'undeliverable', message: 'no' } }, { reason: 'undeliverable: no' }],
  ['a reason with a number', { errors: [{ code: 131026, title: 'no' }] }, { reason: '131026: no' }],
  ['no reason for empty errors', { error: null, errors: [], reason: '' }, { reason: undefined }],
  ['nothing for an empty object', {}, { message_id: undefined, phone: undefined, reason: undefined }],
  ['nothing of a wrong type', { message_id: {}, to: true, reason: [[]] }, { message_id: undefined }],
])('the details of an event include %s', (_, payload, expected) => {
  expect(seen(JSON.stringify(payload))).toMatchObject(expected);
});

it.each([
  ['at the top level', '{"id":"msg_1"}', true],
  ['at any depth', `${'[{"a":'.repeat(100)}"msg_1"${'}]'.repeat(100)}`, true],
  ['in text', 'id=msg_1', true],
  ['as the whole body', '"msg_1"', true],
  ['only as part of a longer id', '{"id":"msg_12"}', false],
  ['only as a key', '{"msg_1":1}', false],
  ['in bytes', Buffer.from([0xff]), false],
])('a search for an id returns whether the body has it: %s', (_, body, expected) => {
  expect(mentions(seen(body), 'msg_1')).toBe(expected);
});

describe('an odd body', () => {
  it.each([
    ['deep nesting', '['.repeat(1_000_000)],
    ['deeply nested objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['a million empty arrays', `[${'[],'.repeat(1_000_000)}[]]`],
    ['300,000 fields', `{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":"v"`).join()}}`],
    ['names of prototype members', '{"__proto__":{"type":"a.b"},"constructor":{"prototype":{"message_id":"x"}}}'],
    ['a text of 5 MiB', JSON.stringify({ type: '.a'.repeat(2_500_000) })],
  ])('is parsed quickly and safely: %s', (_, body) => {
    const began = process.cpuUsage();
    const event = seen(body);
    mentions(event, 'msg_1');
    // CPU time does not depend on other processes.
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
    expect(Object.keys({})).toEqual([]);
    expect('type' in {}).toBe(false);
  });

  it.each(['first', 'second', 'third'])('causes no error if it is random (seed %s)', (seed) => {
    const random = createIds({ seed, serial: 0 }).random('');
    const types = new Set<string>();
    for (let round = 0; round < 2_000; round++) {
      const event = seen(randomBody(random));
      const { name, message_id, phone, reason } = event;
      for (const value of [name, message_id, phone, reason, mentions(event, 'x')]) types.add(typeof value);
    }
    expect([...types].sort()).toEqual(['boolean', 'string', 'undefined']);
  });
});

function seen(body: string | Uint8Array, headers: Headers = []): WebhookEvent {
  return eventOf(delivery(body, { headers }));
}

const keys = 'type event to message_id reason code error __proto__ constructor \0 é'.split(' ').concat('');
const leaves = [null, true, 0, -1.5, 1e300, '', 'message.read', 'x.y', '+1', '\ud800', '__proto__', 'a'.repeat(1_000)];

/** Random JSON, sometimes truncated or with a random byte. */
function randomBody(random: () => number): Buffer {
  const any = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const value = (depth: number): unknown => {
    const kind = random();
    const parts = Array.from({ length: Math.floor(random() * 4) }, () => depth);
    if (depth > 6 || kind < 0.4) return any(leaves);
    if (kind < 0.6) return parts.map(() => value(depth + 1));
    return Object.fromEntries(parts.map(() => [any(keys), value(depth + 1)]));
  };
  const bytes = Buffer.from(JSON.stringify(value(0)));
  if (random() < 0.3) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  return random() < 0.2 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
}

it.each([
  ['order.paid', { id: 'evt_1', data: { contact_id: 'con_1', order_id: 'ord_1' } }, 'ord_1'],
  ['order.paid', { id: 'evt_1', order: { id: 7 } }, '7'],
  ['broadcast.completed', { data: { campaign_id: 'cmp_1', name: 'May' } }, 'cmp_1'],
  ['flow.completed', { data: { contact_id: 'con_1', flowRunId: 'run_1' } }, 'run_1'],
  ['contact.created', { data: { id: 'con_1', phone: '+1' } }, 'con_1'],
  ['contact.created', { type: 'contact.created', data: { id: 'con_1', name: 'Ada' } }, 'con_1 Ada'],
  ['flow.completed', { event_id: 'evt_1', data: { contact_id: 'con_1' } }, 'con_1'],
  ['order.paid', { data: { order_id: 'ord_1', amount: '12.50', currency: 'EUR' } }, '12.50 EUR ord_1'],
  ['order.paid', { data: { total: { value: 12.5, currency: 'eur' } } }, '12.5 eur'],
  ['order.paid', {}, undefined],
  [undefined, { data: { order_id: 'ord_1' } }, 'ord_1'],
])('finds the amount and id, if any, of %s in %j', (name, body, about) => {
  expect(aboutIn(fieldsOf(body), name)).toBe(about);
});

it.each([
  ['message.received', { text: 'Hello' }, 'Hello'],
  ['message.received', { message: { body: 'Hello' } }, 'Hello'],
  ['message.received', { text: { body: 'Hello' } }, 'Hello'],
  ['message.received', {}, undefined],
  ['message.read', { text: 'Hello' }, undefined],
])('finds the text of a received message: %s with %j', (type, data, about) => {
  expect(seen(JSON.stringify({ type, data: { message_id: 'msg_1', ...data } })).about).toBe(about);
});
