import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { isSecret, sign } from '../../src/contract/signature.ts';

// The test vector of the specification.
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  signed: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
} as const;

describe('a signature', () => {
  it('matches the official test vector', () => {
    expect(sign(vector.signed, vector.secret)).toBe(vector.signature);
  });

  it.each(['', '{}', 'línea\n✓ 😀', '\u0000', 'a'.repeat(1_000_000)])('matches another implementation', (body) => {
    const signed = { ...vector.signed, body };
    const theirs = new Webhook(vector.secret).sign(signed.id, new Date(signed.timestamp * 1000), body);
    expect(sign(signed, vector.secret)).toBe(theirs);
  });
});

describe('a secret', () => {
  it.each([
    [vector.secret, true],
    ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', true],
    ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', false],
    ['whsec_', false],
    ['whsec_c2hvcnQ=', false],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n', false],
    ['whsec_MfKQ9r8G KYqrTwjUPD8ILPZIo2LaLaSw', false],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLéé', false],
  ])('is recognized by its format: %j', (text, expected) => {
    expect(isSecret(text)).toBe(expected);
  });
});
