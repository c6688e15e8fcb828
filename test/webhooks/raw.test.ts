import { describe, expect, it } from 'vitest';
import { readRaw } from '../../src/webhooks/event/raw.ts';

describe('a raw delivery', () => {
  it('can be without carriage returns, or without a body', () => {
    const head = { method: 'POST', path: '/', headers: [['A', 'b']] };
    const [plain, bare] = ['POST / HTTP/1.1\nA: b\n\n{\r\n}', 'POST / HTTP/1.1\r\nA: b\r\n'];
    expect(readRaw(Buffer.from(plain))).toEqual({ ...head, body: Buffer.from('{\r\n}') });
    expect(readRaw(Buffer.from(bare))).toEqual({ ...head, body: Buffer.alloc(0) });
  });

  it.each(['', '{}', 'POST /\n\n', 'HTTP/1.1 200 OK\n\n', 'POST / HTTP/1.1\nno header\n\n', '\n\nPOST / HTTP/1.1\n\n'])(
    'is not recognized in %j',
    (text) => {
      expect(readRaw(Buffer.from(text))).toBeUndefined();
    },
  );
});
