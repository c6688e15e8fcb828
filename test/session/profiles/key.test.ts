import { describe, expect, it } from 'vitest';
import { keyMode, readKey, readWebhookSecret } from '../../../src/session/profiles/fields.ts';
import { thrown } from '../../support/thrown.ts';
import { bareKey, liveKey, testKey } from './people.ts';

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
