import { describe, expect, it } from 'vitest';
import { readRaw, writeRaw } from '../../src/webhooks/event/raw.ts';

describe('a raw delivery', () => {
  it.each([
    ['an empty body', Buffer.alloc(0)],
    ['a text body', Buffer.from('{"é":1}')],
    ['a body that looks like the end of the headers', Buffer.from('\r\n\r\n\n\nPOST / HTTP/1.1\r\n')],
    ['a body of all byte values', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
  ])('is read as it was written, with %s', (_, body) => {
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

  it('can be without carriage returns, or without a body', () => {
    const expected = { method: 'POST', path: '/', headers: [['A', 'b']] };
    expect(readRaw(Buffer.from('POST / HTTP/1.1\nA: b\n\n{\r\n}'))).toEqual({
      ...expected,
      body: Buffer.from('{\r\n}'),
    });
    expect(readRaw(Buffer.from('POST / HTTP/1.1\r\nA: b\r\n'))).toEqual({ ...expected, body: Buffer.alloc(0) });
  });

  it.each(['', '{}', 'POST /\n\n', 'HTTP/1.1 200 OK\n\n', 'POST / HTTP/1.1\nno header\n\n', '\n\nPOST / HTTP/1.1\n\n'])(
    'is not recognized in %j',
    (text) => {
      expect(readRaw(Buffer.from(text))).toBeUndefined();
    },
  );
});
