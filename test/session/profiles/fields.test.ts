import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../src/client/address.ts';
import { baseUrl, keyMode, originOf, readKey, readWebhookSecret } from '../../../src/session/profiles/fields.ts';
import { thrown } from '../../support/thrown.ts';
import { bareKey, liveKey, testKey } from './people.ts';

describe('a base URL', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    [' https://API.example.com/ \n', 'https://api.example.com'],
    ['https://api.example.com:443/v1//', 'https://api.example.com/v1'],
    ['http://127.0.0.1:4780/prefix/', 'http://127.0.0.1:4780/prefix'],
    ['http://[::1]:4780', 'http://[::1]:4780'],
  ])('is parsed from %j', (typed, read) => {
    expect(baseUrl(typed)).toBe(read);
    expect(baseUrl(read)).toBe(read);
  });

  it.each([
    ['', 'is not a base URL'],
    ['api.example.com', 'is not a base URL'],
    ['localhost:4780', 'is not a base URL'],
    ['https:api.example.com', 'is not a base URL'],
    ['https://', 'is not a base URL'],
    ['ftp://api.example.com', 'is not a base URL'],
    ['javascript:alert(1)', 'is not a base URL'],
    ['https://api.exa mple.com', 'white space'],
    ['https://api.example.com/\tx', 'white space'],
    ['https://api.example.com\\@evil.example', 'backslash'],
    ['https://api.example.com/\u0000', 'control character'],
    ['https://api.example.com/\u202e', 'control character'],
    ['https://ada@api.example.com', 'user name or password'],
    ['https://api.example.com?', 'a query or a fragment'],
    ['https://api.example.com/#', 'a query or a fragment'],
    ['https://api.example.com/api/public', "an endpoint's path"],
    ['https://api.example.com/v1/api/public/messages/send-template', "an endpoint's path"],
  ])('is refused: %j', (typed, why) => {
    const error = thrown(() => baseUrl(typed));
    expect(error).toMatchObject({ exit: 'usage', message: expect.stringContaining(why), hint: expect.any(String) });
  });

  it.each([`https://ada:hunter2@h`, `https://h?key=hunter2`, `https://h/${liveKey} x`, 'ada:hunter2@h'])(
    'is not repeated where it holds a secret: %j',
    (typed) => {
      const text = String(thrown(() => baseUrl(typed)));
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(liveKey);
    },
  );
});

describe('an origin', () => {
  it('does not contain the path', () => {
    expect(originOf('https://api.example.com/v1')).toBe('https://api.example.com');
  });

  it.each([
    ['http://127.0.0.1', true],
    ['http://127.9.8.7:1', true],
    ['http://2130706433', true],
    ['http://[::1]:80', true],
    ['http://LOCALHOST', true],
    ['http://0.0.0.0', false],
    ['http://localhost.evil.example', false],
    ['http://127.0.0.1.evil.example', false],
    ['http://sub.localhost', false],
    ['http://10.0.0.1', false],
  ])('%s is a loopback address: %s', (url, loopback) => {
    expect(isLoopback(new URL(url).hostname)).toBe(loopback);
  });
});

describe('a key', () => {
  it('is trimmed', () => {
    expect(readKey(` ${testKey}\r\n`)).toBe(testKey);
  });

  it.each([
    ['', 'is empty'],
    [' \n', 'is empty'],
    [`Bearer ${liveKey}`, 'white space'],
    [`${liveKey}\r\nX-Other: 1`, 'white space'],
    [`${liveKey}\u0007`, 'control characters'],
    [`${liveKey}…`, 'not ASCII'],
    ['sk_live_', 'is only a prefix'],
    [liveKey.padEnd(513, 'x'), 'longer than 512'],
  ])('is refused and not repeated: %j', (typed, why) => {
    const error = thrown(() => readKey(typed));
    expect(error).toMatchObject({ exit: 'usage', message: expect.stringContaining(why) });
    expect(JSON.stringify(error)).not.toContain('AbCdEf');
  });

  it.each([
    [testKey, undefined, 'sandbox'],
    [liveKey, undefined, 'live'],
    [liveKey, 'live', 'live'],
    [bareKey, 'sandbox', 'sandbox'],
    [bareKey, 'live', 'live'],
  ] as const)('%s told %s is a %s key', (key, told, mode) => {
    expect(keyMode(key, told)).toBe(mode);
  });

  it('without a known prefix needs a mode', () => {
    expect(thrown(() => keyMode(bareKey))).toMatchObject({ exit: 'usage', hint: expect.stringContaining('--mode') });
  });

  it('must have the mode of its prefix', () => {
    expect(thrown(() => keyMode(liveKey, 'sandbox'))).toMatchObject({
      exit: 'usage',
      message: 'the key begins with sk_live_: it is a live key, not a sandbox key',
    });
  });
});

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('a webhook secret', () => {
  it('is trimmed', () => {
    expect(readWebhookSecret(`${secret}\n`)).toBe(secret);
    expect(() => readWebhookSecret('\n')).toThrow('the webhook secret is empty');
  });

  it('may lack whsec_, but needs 16 bytes', () => {
    expect(readWebhookSecret('AAAAAAAAAAAAAAAAAAAAAA==')).toBe('AAAAAAAAAAAAAAAAAAAAAA==');
    expect(thrown(() => readWebhookSecret('AAAAAAAAAAAAAAAAAAAA'))).toMatchObject({
      exit: 'configuration',
      code: 'bad-secret',
    });
  });
});
