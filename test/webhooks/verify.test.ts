import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { Headers } from '../../src/webhooks/log/records.ts';
import { sign } from '../../src/contract/signature.ts';
import { check } from '../../src/webhooks/sign/verify.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const now = 1_767_322_245_678;
const seconds = Math.floor(now / 1000);
const text = '{"type":"message.read","data":{"to":"+12025550101","note":"dé/jà"}}';

describe('a good signature', () => {
  it('is that of another implementation', () => {
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    const signature = new Webhook(secret).sign(id, new Date(now), text);
    expect(check([secret], headersOf(signature, seconds, id), Buffer.from(text), now)).toEqual({ verdict: 'good' });
  });

  it.each([
    ['with one that a rotated secret made', [other, secret], { verdict: 'good', by: 'a rotated secret' }],
    ['whose secret is given without whsec_', [secret.slice(6)], { verdict: 'good' }],
    ['whose secret is given with a line feed', [`${secret}\n`], { verdict: 'good' }],
  ])('is found %s', (_, secrets, expected) => {
    expect(judged(text, text, secrets)).toEqual(expected);
  });

  it('is one of several, however they are parted', () => {
    const signatures = [other, secret].map((one) => signed(text, one));
    const both = [
      signatures.join(' '),
      signatures.join('  '),
      signatures.join(', '),
      `v1a,xyz v2,abc ${signatures[1]}`,
    ];
    for (const signature of both) expect(judgedBy(headersOf(signature))).toEqual({ verdict: 'good' });
    const twice = [...headersOf(signatures[0] ?? ''), ['WEBHOOK-SIGNATURE', signatures[1] ?? ''] as const];
    expect(judgedBy(twice)).toEqual({ verdict: 'good' });
  });

  it('may stand under the names that begin with svix-', () => {
    const svix = headersOf(signed(text)).map(([name, value]) => [name.replace('Webhook', 'Svix'), value] as const);
    expect(judgedBy(svix)).toEqual({ verdict: 'good' });
  });

  it.each([0, 300, -300])('may be %i s old', (age) => {
    expect(judgedBy(headersOf(signed(text, secret, seconds - age), seconds - age))).toEqual({ verdict: 'good' });
  });

  it.each(['', '\0', 'x'.repeat(5_000_000)])('may be that of any body', (body) => {
    expect(judged(body, body)).toEqual({ verdict: 'good' });
  });
});

describe('a delivery without a verdict', () => {
  it('is unsigned when no header says that it is', () => {
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
    const given = headersOf(signed(text));
    expect(judgedBy(given.filter(([name]) => name !== missing))).toEqual({ verdict: 'bad', why });
    expect(judgedBy(given.map(([name, value]) => [name, name === missing ? '' : value]))).toEqual({
      verdict: 'bad',
      why,
    });
  });

  it.each([
    [-301, 'is 301 s behind this clock, and 300 s are allowed: a clock is wrong, or it was kept and sent again'],
    [301, 'is 301 s ahead of this clock, and 300 s are allowed: a clock is wrong'],
    [seconds * 999, 'is in milliseconds, where seconds are due'],
  ])('its timestamp is %i s off', (skew, off) => {
    const timestamp = seconds + skew;
    const verdict = judgedBy(headersOf(signed(text, secret, timestamp), timestamp));
    expect(verdict).toEqual({ verdict: 'bad', why: `the signature is right, but webhook-timestamp ${off}` });
  });

  it.each(['soon', '1e9', '-5', ' ', '01', '1767322245.5'])('its timestamp is no number: %j', (stamp) => {
    expect(whyOf(judgedBy(headersOf(signed(text), stamp)))).toMatch(/^webhook-timestamp is (not a number|missing)/);
  });

  it.each([
    ['the secret known here did not make the signature: another one did, or the body was changed beyond', [other]],
    ['each of the 2 secrets known here did not make the signature', [other, `${other.slice(0, -1)}E`]],
    ['it does not begin with whsec_: is it the webhook secret?', ['c2tfdGVzdF8wMTIzNDU2Nzg5YWJjZGVm']],
    ['the secret is empty', ['']],
    ['the secret is empty', ['whsec_']],
    ['the secret does not decode: whsec_ and base64 are due, and its letter 9 is none of base64', ['whsec_ab!de']],
    ['the secret does not decode: whsec_ and base64 are due, and its letter 3 is none of base64', ['my secret']],
  ])('%s', (why, secrets) => {
    const verdict = judged(text, text, secrets);
    expect(whyOf(verdict)).toContain(why);
    for (const one of secrets.filter((one) => one.length > 6)) expect(whyOf(verdict)).not.toContain(one);
  });

  it.each([
    ['the secret is empty', 'whsec_'],
    ['the secret does not decode', 'whsec_!!!!'],
    ['the secret does not decode', '===='],
    ['the secret decodes to 5 bytes, and at least 16 are needed', 'whsec_c2hvcnQ='],
  ])('%s, even if it made the signature: %s', (why, weak) => {
    const headers = headersOf(signed(text, weak));
    expect(whyOf(check([weak, secret], headers, Buffer.from(text), now))).toContain(why);
  });

  it.each([
    ['the letters of the secret were used as the key', secret],
    ['the letters after whsec_ were used as the key', secret.slice('whsec_'.length)],
  ])('%s', (why, key) => {
    const digest = createHmac('sha256', key).update(`msg_1.${seconds}.${text}`).digest('base64');
    expect(whyOf(judgedBy(headersOf(`v1,${digest}`)))).toContain(why);
  });

  it.each([
    ['"v1," is missing before it', signed(text).slice('v1,'.length)],
    ['"v1," is missing before it', signed(text).replace('v1,', 'v1=')],
    ['written in hexadecimal', Buffer.from(signed(text).slice(3), 'base64').toString('hex')],
    ['written in hexadecimal', `v1,${Buffer.from(signed(text).slice(3), 'base64').toString('hex')}`],
    ['none of its signatures is of version v1, which a secret makes: v1a, v2', 'v1a,abc v2,def'],
    ['none of its signatures is of version v1, which a secret makes: nonsense', 'nonsense'],
    ['another one did', 'v1,'],
    ['another one did', 'v1,é'],
  ])('%s', (why, signature) => {
    expect(whyOf(judgedBy(headersOf(signature)))).toContain(why);
  });
});

describe('a body that was changed after it was signed is found out:', () => {
  const payload: unknown = JSON.parse(text);
  const pretty = (indent: number | string) => JSON.stringify(payload, undefined, indent);
  const python = text.replaceAll('":', '": ').replaceAll(',"', ', "');
  const reordered = '{"data":{"note":"dé/jà","to":"+12025550101"},"type":"message.read"}';
  it.each([
    ['a line feed was added at its end', text, `${text}\n`],
    ['a line feed was taken from its end', `${text}\n`, text],
    ['a line end was taken from its end', `${text}\r\n`, text],
    ['its line ends were LF and are CRLF', 'a\nb\nc\n', 'a\r\nb\r\nc\r\n'],
    ['its line ends were CRLF and are LF', 'a\r\nb\r\nc', 'a\nb\nc'],
    ['a byte order mark was added', text, `\ufeff${text}`],
    ['a byte order mark was taken away', `\ufeff${text}`, text],
    ['it was UTF-8 and is Latin-1', text, Buffer.from(text, 'latin1')],
    ['its UTF-8 was read as Latin-1 and written as UTF-8', text, Buffer.from(text).toString('latin1')],
    ['it was packed', text, gzipSync(text)],
    ['its JSON was written anew, and was without spaces', text, pretty(2)],
    ['its JSON was written anew, and was indented by 2', pretty(2), text],
    ['its JSON was written anew, and was indented by 4', pretty(4), text],
    ['its JSON was written anew, and was indented by tabs', pretty('\t'), pretty(2)],
    ['and was with spaces after commas and colons', python, text],
    ['with all but ASCII escaped', ascii(text), text],
    ['and was with spaces after commas and colons, with all but ASCII escaped', ascii(python), text],
    ['with slashes and all but ASCII escaped', ascii(text).replaceAll('/', '\\/'), pretty(4)],
    ['and had its fields in another order', text, reordered],
    ['and had its fields in another order', reordered, pretty(2)],
  ])('%s', (how, before, after) => {
    const why = whyOf(judged(before, after, [other, secret]));
    expect(why).toMatch(/^the body was changed after it was signed: /);
    expect(why).toContain(how);
  });

  it.each(['{"type":"message.delivered"}', '', '[', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}'])(
    'but not when it is another one: %s',
    (body) => {
      expect(whyOf(judged(text, body))).toContain('another one did, or the body was changed beyond guessing');
    },
  );

  it.each([
    ['deep', '['.repeat(100_000)],
    ['large', `[${'{"a":1},'.repeat(500_000)}1]`],
    ['wide', `{${Array.from({ length: 300 }, (_, at) => `"k${at}":{"a":1,"b":2}`).join()}}`],
    ['of many orders', JSON.stringify({ a: orders(3), b: orders(3), c: orders(3), d: orders(3), e: orders(3) })],
  ])('which is told soon, though it is %s', (_, body) => {
    const began = performance.now();
    expect(judged('x', body)).toMatchObject({ verdict: 'bad' });
    expect(performance.now() - began).toBeLessThan(2_000);
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

function whyOf(verdict: ReturnType<typeof check>): string {
  return verdict.verdict === 'bad' ? verdict.why : verdict.verdict;
}

function ascii(json: string): string {
  return json.replaceAll('é', '\\u00e9').replaceAll('à', '\\u00e0');
}

function orders(depth: number): unknown {
  return depth === 0 ? 1 : Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((key) => [key, orders(depth - 1)]));
}
