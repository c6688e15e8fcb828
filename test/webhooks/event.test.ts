import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { events } from '../../src/contract/events.ts';
import { createRandom, seedNumber } from '../../src/sandbox/state/ids.ts';
import { eventOf, mentions, type WebhookEvent } from '../../src/webhooks/event/event.ts';
import { type Headers, receivedOf } from '../../src/webhooks/log/records.ts';
import { delivery } from './rig.ts';

describe('the body', () => {
  it.each([
    ['JSON', '{"a":1}', { kind: 'json', value: { a: 1 } }],
    ['JSON that is no object', ' null\n', { kind: 'json', value: null }],
    ['JSON behind a byte order mark', '\ufeff[1]', { kind: 'json', value: [1] }],
    ['a text', 'type=message.read', { kind: 'text', text: 'type=message.read' }],
    ['half a JSON', '{"a":', { kind: 'text', text: '{"a":' }],
    ['nothing', '', { kind: 'none' }],
    ['bytes', Buffer.from([0xff, 0x00]), { kind: 'bytes', base64: '/wA=' }],
    ['JSON in Latin-1', Buffer.from('{"a":"é"}', 'latin1'), { kind: 'bytes', base64: 'eyJhIjoi6SJ9' }],
  ])('is shown as what it is: %s', (_, bytes, expected) => {
    expect(seen(bytes).body).toEqual(expected);
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP ', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('is unpacked: %s', (encoding, pack) => {
    const event = seen(pack(Buffer.from('{"type":"message.read"}')), [['Content-Encoding', encoding]]);
    expect(event).toMatchObject({ name: 'message.read', body: { kind: 'json' }, problem: undefined });
  });

  it.each([
    ['a bomb', gzipSync(Buffer.alloc(200 * 1024 * 1024)), 'gzip', 'it is larger than 10 MiB when decompressed'],
    ['what is not packed', Buffer.from('{}'), 'gzip', 'it is not valid gzip'],
    ['what was cut off', gzipSync('{"a":1}').subarray(0, 20), 'gzip', 'it is not valid gzip'],
    ['what nobody knows', Buffer.from('{}'), 'zstd', 'unsupported content-encoding "zstd"'],
    ['what is packed twice', gzipSync(gzipSync('{}')), 'gzip, gzip', expect.stringContaining('unsupported content-encoding')],
  ])('stays packed, and it is said why: %s', (_, bytes, encoding, problem) => {
    const event = seen(bytes, [['content-encoding', encoding]]);
    expect(event.problem).toEqual(problem);
    expect(event.body.kind).not.toBe('none');
  });
});

describe('the name', () => {
  it.each(Object.keys(events))('is any that the document has: %s', (name) => {
    expect(seen(JSON.stringify({ type: name })).name).toBe(name);
  });

  it.each([
    ['at the top', { type: 'message.read' }],
    ['under another title', { event_name: 'message.read' }],
    ['under no title at all', { foo: 'message.read' }],
    ['deeper', { event: { id: 'evt_1', type: 'message.read' } }],
    ['deeper than other texts', { id: 'evt_1', data: { attributes: { kind: 'message.read' } } }],
    ['in an array', [{ type: 'message.read' }]],
    ['as all there is', 'message.read'],
    ['nearer to the top', { type: 'message.read', data: { type: 'order.paid' } }],
    ['under a title, and not beside it', { status: 'order.paid', type: 'message.read' }],
    ['under the likelier title', { name: 'order.paid', type: 'message.read' }],
    ['beside a title that is none', { type: 'event', event: 'message.read' }],
    ['beside what only looks like one', { type: 'com.example.event', event: 'message.read' }],
    ['in several places', { data: { before: 'message.read', after: 'message.read' } }],
  ])('is found %s', (_, payload) => {
    expect(seen(JSON.stringify(payload)).name).toBe('message.read');
  });

  it.each([
    ['message.deleted', { type: 'message.deleted', data: { text: 'order.paid' } }],
    ['message.deleted', { event: { type: 'message.deleted' } }],
    ['com.example.message.read', { type: 'com.example.message.read' }],
    ['template:approved', { topic: 'template:approved' }],
  ])('may be one that the document does not have: %s', (name, payload) => {
    expect(seen(JSON.stringify(payload)).name).toBe(name);
  });

  it.each([
    ['of the names none is more likely', { data: { events: ['message.read', 'order.paid'] } }],
    ['a name is part of a text', { type: 'a message.read came' }],
    ['a file has one', { data: { name: 'photo.jpg' } }],
    ['a person has one', { name: 'anna.b', type: 'person' }],
    ['a time has dots', { type: '12.30' }],
    ['it is a key', { 'message.read': true }],
    ['names are of other types', { type: 7, event: null, name: ['x'] }],
    ['there is nothing', {}],
    ['prototypes have names', { type: 'constructor', event: '__proto__', name: 'toString' }],
  ])('is unknown where %s', (_, payload) => {
    expect(seen(JSON.stringify(payload)).name).toBeUndefined();
  });

  it('may stand in a header where the body has none', () => {
    expect(seen('', [['X-Event', 'order.paid']]).name).toBe('order.paid');
    expect(seen('{"type":"message.read"}', [['X-Event', 'order.paid']]).name).toBe('message.read');
  });
});

describe('what is known besides', () => {
  it.each([
    ['the id of a message', { data: { message_id: 'msg_1' } }, { message_id: 'msg_1' }],
    ['one in camel case', { messageId: 'msg_1' }, { message_id: 'msg_1' }],
    ['one that is a number', { message_id: 7 }, { message_id: '7' }],
    ['that of a message', { data: { message: { id: 'msg_1' } } }, { message_id: 'msg_1' }],
    [
      'the one nearest to the top',
      { a: { b: { message_id: 'no' } }, c: { message_id: 'msg_1' } },
      { message_id: 'msg_1' },
    ],
    ['the recipient', { data: { to: '+12025550101', from: '+1' } }, { recipient: '+12025550101' }],
    ['one of several', { to: [{ phone: '12025550101' }] }, { recipient: '12025550101' }],
    ['whom it came from', { from: '+12025550101' }, { recipient: '+12025550101' }],
    ['no span of time', { from: '2026-01-01', to: '2026-01-31' }, { recipient: undefined }],
    ['a reason', { data: { reason: 'no such number' } }, { reason: 'no such number' }],
    ['one with a code', { reason: { code: 'undeliverable', message: 'no' } }, { reason: 'undeliverable: no' }],
    ['one with a number', { errors: [{ code: 131026, title: 'no' }] }, { reason: '131026: no' }],
    ['one that is only a code', { error: { code: 'x' } }, { reason: 'x' }],
    ['no error', { error: null, errors: [], reason: '' }, { reason: undefined }],
    ['nothing of nothing', {}, { message_id: undefined, recipient: undefined, reason: undefined }],
    [
      'nothing of a wrong type',
      { message_id: {}, to: true, reason: [[]] },
      { message_id: undefined, reason: undefined },
    ],
  ])('is %s', (_, payload, expected) => {
    expect(seen(JSON.stringify(payload))).toMatchObject(expected);
  });
});

describe('an id', () => {
  it.each([
    ['at the top', '{"id":"msg_1"}', true],
    ['at any depth', `${'[{"a":'.repeat(100)}"msg_1"${'}]'.repeat(100)}`, true],
    ['in a text', 'id=msg_1', true],
    ['as all there is', '"msg_1"', true],
    ['as part of another', '{"id":"msg_12"}', false],
    ['as a key', '{"msg_1":1}', false],
    ['nowhere', '{}', false],
    ['in nothing', '', false],
    ['in bytes', Buffer.from([0xff]), false],
  ])('is mentioned or not: %s', (_, body, expected) => {
    expect(mentions(seen(body), 'msg_1')).toBe(expected);
  });
});

describe('odd bodies do no harm', () => {
  it.each([
    ['nesting', '['.repeat(1_000_000)],
    ['closed nesting', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['objects within objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['a million of nothing', `[${'[],'.repeat(1_000_000)}[]]`],
    ['a million fields', `{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":"v"`).join()}}`],
    ['names of prototypes', '{"__proto__":{"type":"message.read"},"constructor":{"prototype":{"message_id":"x"}}}'],
    ['a text of 5 MiB', JSON.stringify({ type: '.a'.repeat(2_500_000) })],
    ['dots without end', JSON.stringify({ type: 'a'.repeat(50) + '.'.repeat(50) })],
  ])('such as %s', (_, body) => {
    const began = process.cpuUsage();
    const event = seen(body);
    mentions(event, 'msg_1');
    // CPU time does not depend on what else the machine does.
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000);
    expect(Object.keys({})).toEqual([]);
    expect('type' in {}).toBe(false);
  });

  it.each(['one', 'two', 'three', 'four', 'five'])('nor such as chance makes: %s', (seed) => {
    const random = createRandom(seedNumber(seed));
    for (let round = 0; round < 2_000; round++) {
      const event = seen(randomBody(random));
      const { name, message_id, recipient, reason } = event;
      for (const text of [name, message_id, recipient, reason]) expect(['string', 'undefined']).toContain(typeof text);
      expect(typeof mentions(event, 'x')).toBe('boolean');
    }
  });
});

function seen(body: string | Uint8Array, headers: Headers = []): WebhookEvent {
  return eventOf(receivedOf(delivery(body, { headers }), 'e1', 0));
}

const keys = [
  'type',
  'event',
  'to',
  'message_id',
  'reason',
  'code',
  'error',
  '__proto__',
  'constructor',
  '',
  '\0',
  'é',
];
const leaves = [null, true, 0, -1.5, 1e300, '', 'message.read', 'x.y', '+1', '\ud800', '__proto__', 'a'.repeat(1_000)];

/** JSON of any form, at times with a byte that does not belong there. */
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
