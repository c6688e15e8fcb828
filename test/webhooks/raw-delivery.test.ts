import { describe, expect, it } from 'vitest';
import { readRaw, writeRaw } from '../../src/webhooks/event/raw.ts';

describe('a raw delivery', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('{"é":1}')],
    ['what looks like the end of a head', Buffer.from('\r\n\r\n\n\nPOST / HTTP/1.1\r\n')],
    ['all bytes', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
  ])('is read as it was written, with a body of %s', (_, body) => {
    const headers = [
      ['X-Name', 'a: b,  c'],
      ['x-name', ''],
      ['X-Latin', 'é'],
    ] as const;
    const delivery = { method: 'POST', path: '/a%20b?c=d e', headers, body };
    expect(readRaw(writeRaw(delivery))).toEqual(delivery);
    const bare = { ...delivery, headers: [] };
    expect(readRaw(writeRaw(bare))).toEqual(bare);
  });

  it('may have lost its carriage returns, or have no body at all', () => {
    const expected = { method: 'POST', path: '/', headers: [['A', 'b']] };
    expect(readRaw(Buffer.from('POST / HTTP/1.1\nA: b\n\n{\r\n}'))).toEqual({
      ...expected,
      body: Buffer.from('{\r\n}'),
    });
    expect(readRaw(Buffer.from('POST / HTTP/1.1\r\nA: b\r\n'))).toEqual({ ...expected, body: Buffer.alloc(0) });
  });

  it.each(['', '{}', 'POST /\n\n', 'HTTP/1.1 200 OK\n\n', 'POST / HTTP/1.1\nno header\n\n', '\n\nPOST / HTTP/1.1\n\n'])(
    'is not what reads %j',
    (text) => {
      expect(readRaw(Buffer.from(text))).toBeUndefined();
    },
  );
});
