import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { Headers } from '../../src/delivery/headers.ts';
import { isSecret, sign } from '../../src/contract/signature.ts';
import { check } from '../../src/delivery/signature.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const now = 1_767_322_245_678;
const seconds = Math.floor(now / 1000);
const text = '{"type":"message.read","data":{"to":"+12025550101","note":"dé/jà"}}';

describe('a good signature', () => {
  it('is accepted from another implementation', () => {
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    const signature = new Webhook(secret).sign(id, new Date(now), text);
    expect(check([secret], headersOf(signature, seconds, id), Buffer.from(text), now)).toEqual({ verdict: 'good' });
  });

  it.each([
    ['if an older secret made it', [other, secret], { verdict: 'good' }],
    ['if the secret is given without whsec_', [secret.slice(6)], { verdict: 'good' }],
    ['if the secret is given with a line feed', [`${secret}\n`], { verdict: 'good' }],
  ])('is accepted %s', (_, secrets, expected) => {
    expect(judged(text, text, secrets)).toEqual(expected);
  });

  it('may be one of several, with any separator', () => {
    const signatures = [other, secret].map((by) => signed(text, by));
    const joined = [' ', '  ', ', '].map((separator) => signatures.join(separator));
    for (const signature of [...joined, `v1a,xyz v2,abc ${signatures[1]}`])
      expect(judgedBy(headersOf(signature))).toEqual({ verdict: 'good' });
    const twice = [...headersOf(signatures[0] ?? ''), ['WEBHOOK-SIGNATURE', signatures[1] ?? ''] as const];
    expect(judgedBy(twice)).toEqual({ verdict: 'good' });
  });

  it('may use header names that begin with svix-', () => {
    const svix = headersOf(signed(text)).map(([name, value]) => [name.replace('Webhook', 'Svix'), value] as const);
    expect(judgedBy(svix)).toEqual({ verdict: 'good' });
  });

  it.each([0, 300, -300])('may be %i s old', (age) => {
    expect(judgedBy(headersOf(signed(text, secret, seconds - age), seconds - age))).toEqual({ verdict: 'good' });
  });
});

describe('our signature', () => {
  it('matches the official test vector', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
    expect(sign(message, secret)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

it.each([
  [secret, true],
  [other, true],
  [secret.slice('whsec_'.length), false],
  ['whsec_', false],
  ['whsec_c2hvcnQ=', false],
  [`${secret}\n`, false],
  ['whsec_MfKQ9r8G KYqrTwjUPD8ILPZIo2LaLaSw', false],
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLéé', false],
])('a secret is recognized by its format: %j', (text, expected) => {
  expect(isSecret(text)).toBe(expected);
});

describe('a delivery without a verdict', () => {
  it('is unsigned if it has no signature headers', () => {
    const unsigned = { verdict: 'unsigned' };
    expect(judgedBy([['X-Signature', 'v1,x']])).toEqual(unsigned);
    expect(check([], [], Buffer.from(text), now)).toEqual(unsigned);
  });

  it('is unknown when no secret is known', () => {
    expect(judged(text, text, [])).toEqual({ verdict: 'unknown' });
  });
});

describe('a bad signature is explained:', () => {
  it.each(['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature'])('%s is missing', (missing) => {
    const why = `${missing.toLowerCase()} is missing`;
    const others = headersOf(signed(text)).filter(([name]) => name !== missing);
    for (const headers of [others, [...others, [missing, ''] as const]])
      expect(judgedBy(headers)).toEqual({ verdict: 'bad', why });
  });

  it.each([
    [-301, 'is 301 s behind this clock; at most 300 s is allowed'],
    [301, 'is 301 s ahead of this clock; at most 300 s is allowed'],
  ])('its timestamp is %i s off', (skew, off) => {
    const timestamp = seconds + skew;
    const verdict = judgedBy(headersOf(signed(text, secret, timestamp), timestamp));
    expect(verdict).toEqual({ verdict: 'bad', why: `the signature is right, but webhook-timestamp ${off}` });
  });

  it.each(['soon', '1e9', '-5', ' ', '01', '1767322245.5'])('its timestamp is not a number: %j', (stamp) => {
    const verdict = judgedBy(headersOf(signed(text), stamp));
    expect(verdict.verdict === 'bad' && verdict.why).toMatch(/^webhook-timestamp is (not a number|missing)/);
  });

  const wrong = 'it was signed with another secret, or its body was changed';
  it.each([
    ['another secret', text, [other], wrong],
    ['two other secrets', text, [other, `${other.slice(0, -1)}E`], `${wrong} (2 secrets tried)`],
    ['a changed body', `${text}\n`, [secret], wrong],
    ['another body', '', [secret], wrong],
  ])('%s', (_, body, secrets, why) => {
    expect(judged(text, body, secrets)).toEqual({ verdict: 'bad', why });
  });

  it.each(['v1,', 'v1,é', 'v1a,abc v2,def', signed(text).slice('v1,'.length)])('not a signature: %s', (signature) => {
    expect(judgedBy(headersOf(signature))).toEqual({ verdict: 'bad', why: wrong });
  });
});

function signed(body: string, by = secret, timestamp = seconds): string {
  return sign({ id: 'msg_1', timestamp, body }, by);
}

function headersOf(signature: string, timestamp: number | string = seconds, id = 'msg_1'): Headers {
  return [
    ['Content-Type', 'application/json'],
    ['Webhook-Id', id],
    ['Webhook-Timestamp', String(timestamp)],
    ['Webhook-Signature', signature],
  ];
}

function judgedBy(headers: Headers) {
  return check([secret], headers, Buffer.from(text), now);
}

function judged(before: string, after: string | Buffer, secrets: readonly string[] = [secret]) {
  return check(secrets, headersOf(signed(before)), Buffer.from(after), now);
}
