import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { Headers } from '../../src/delivery/headers.ts';
import { sign } from '../../src/contract/signature.ts';
import { check } from '../../src/delivery/signature/check.ts';

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
    ['if a rotated secret made it', [other, secret], { verdict: 'good', by: 'a rotated secret' }],
    ['if the secret is given without whsec_', [secret.slice(6)], { verdict: 'good' }],
    ['if the secret is given with a line feed', [`${secret}\n`], { verdict: 'good' }],
  ])('is accepted %s', (_, secrets, expected) => {
    expect(judged(text, text, secrets)).toEqual(expected);
  });

  it('may be one of several, with any separator', () => {
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

  it('may use header names that begin with svix-', () => {
    const svix = headersOf(signed(text)).map(([name, value]) => [name.replace('Webhook', 'Svix'), value] as const);
    expect(judgedBy(svix)).toEqual({ verdict: 'good' });
  });

  it.each([0, 300, -300])('may be %i s old', (age) => {
    expect(judgedBy(headersOf(signed(text, secret, seconds - age), seconds - age))).toEqual({ verdict: 'good' });
  });

  it.each(['', '\0', 'x'.repeat(5_000_000)])('may belong to any body', (body) => {
    expect(judged(body, body)).toEqual({ verdict: 'good' });
  });
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
    const given = headersOf(signed(text));
    expect(judgedBy(given.filter(([name]) => name !== missing))).toEqual({ verdict: 'bad', why });
    expect(judgedBy(given.map(([name, value]) => [name, name === missing ? '' : value]))).toEqual({
      verdict: 'bad',
      why,
    });
  });

  it.each([
    [
      -301,
      'is 301 s behind this clock (at most 300 s is allowed): a clock is wrong, or the event was sent again later',
    ],
    [301, 'is 301 s ahead of this clock (at most 300 s is allowed): a clock is wrong'],
    [seconds * 999, 'is in milliseconds instead of seconds'],
  ])('its timestamp is %i s off', (skew, off) => {
    const timestamp = seconds + skew;
    const verdict = judgedBy(headersOf(signed(text, secret, timestamp), timestamp));
    expect(verdict).toEqual({ verdict: 'bad', why: `the signature is right, but webhook-timestamp ${off}` });
  });

  it.each(['soon', '1e9', '-5', ' ', '01', '1767322245.5'])('its timestamp is not a number: %j', (stamp) => {
    expect(whyOf(judgedBy(headersOf(signed(text), stamp)))).toMatch(/^webhook-timestamp is (not a number|missing)/);
  });

  it.each([
    ['wrong secret or modified body', [other]],
    ['wrong secret or modified body (2 secrets tried)', [other, `${other.slice(0, -1)}E`]],
    ['the secret does not begin with whsec_: is it the webhook secret?', ['c2tfdGVzdF8wMTIzNDU2Nzg5YWJjZGVm']],
    ['the secret is empty', ['']],
    ['the secret is empty', ['whsec_']],
    ['the secret is not valid base64 (character 9)', ['whsec_ab!de']],
    ['the secret is not valid base64 (character 3)', ['my secret']],
  ])('%s', (why, secrets) => {
    const verdict = judged(text, text, secrets);
    expect(whyOf(verdict)).toContain(why);
    for (const one of secrets.filter((one) => one.length > 6)) expect(whyOf(verdict)).not.toContain(one);
  });

  it.each([
    ['the secret is empty', 'whsec_'],
    ['the secret is not valid base64', 'whsec_!!!!'],
    ['the secret is not valid base64', '===='],
    ['the secret decodes to 5 bytes; at least 16 are required', 'whsec_c2hvcnQ='],
  ])('%s, even if it made the signature: %s', (why, weak) => {
    const headers = headersOf(signed(text, weak));
    expect(whyOf(check([weak, secret], headers, Buffer.from(text), now))).toContain(why);
  });

  it.each([
    ['the key was the text of the secret', secret],
    ['the key was the text after whsec_', secret.slice('whsec_'.length)],
  ])('%s', (why, key) => {
    const digest = createHmac('sha256', key).update(`msg_1.${seconds}.${text}`).digest('base64');
    expect(whyOf(judgedBy(headersOf(`v1,${digest}`)))).toContain(why);
  });

  it.each([
    ['the "v1," before it is missing', signed(text).slice('v1,'.length)],
    ['the "v1," before it is missing', signed(text).replace('v1,', 'v1=')],
    ['it is in hexadecimal instead of base64', Buffer.from(signed(text).slice(3), 'base64').toString('hex')],
    ['it is in hexadecimal instead of base64', `v1,${Buffer.from(signed(text).slice(3), 'base64').toString('hex')}`],
    ['no signature of version v1 (found: v1a, v2)', 'v1a,abc v2,def'],
    ['no signature of version v1 (found: nonsense)', 'nonsense'],
    ['wrong secret or modified body', 'v1,'],
    ['wrong secret or modified body', 'v1,é'],
  ])('%s', (why, signature) => {
    expect(whyOf(judgedBy(headersOf(signature)))).toContain(why);
  });
});

describe('a body that was changed after it was signed is detected:', () => {
  const payload: unknown = JSON.parse(text);
  const pretty = (indent: number | string) => JSON.stringify(payload, undefined, indent);
  const python = text.replaceAll('":', '": ').replaceAll(',"', ', "');
  it.each([
    ['a line feed was added at the end', text, `${text}\n`],
    ['the line feed at the end was removed', `${text}\n`, text],
    ['the CRLF at the end was removed', `${text}\r\n`, text],
    ['line ends were changed from LF to CRLF', 'a\nb\nc\n', 'a\r\nb\r\nc\r\n'],
    ['line ends were changed from CRLF to LF', 'a\r\nb\r\nc', 'a\nb\nc'],
    ['a byte order mark was added', text, `\ufeff${text}`],
    ['the byte order mark was removed', `\ufeff${text}`, text],
    ['it was converted from UTF-8 to Latin-1', text, Buffer.from(text, 'latin1')],
    ['its UTF-8 was read as Latin-1', text, Buffer.from(text).toString('latin1')],
    ['it was compressed', text, gzipSync(text)],
    ['its JSON was serialized again; the original was without spaces', text, pretty(2)],
    ['its JSON was serialized again; the original was indented by 2', pretty(2), text],
    ['its JSON was serialized again; the original was indented by 4', pretty(4), text],
    ['its JSON was serialized again; the original was indented by tabs', pretty('\t'), pretty(2)],
    ['was with spaces after commas and colons', python, text],
    ['with non-ASCII characters escaped', ascii(text), text],
    ['was with spaces after commas and colons, with non-ASCII characters escaped', ascii(python), text],
    ['with slashes and non-ASCII characters escaped', ascii(text).replaceAll('/', '\\/'), pretty(4)],
  ])('%s', (change, before, after) => {
    const why = whyOf(judged(before, after, [other, secret]));
    expect(why).toMatch(/^the body was changed after it was signed: /);
    expect(why).toContain(change);
  });

  it.each(['{"type":"message.delivered"}', '', '[', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}'])(
    'unless it is a different body: %s',
    (body) => {
      expect(whyOf(judged(text, body))).toContain('wrong secret or modified body');
    },
  );

  it.each([
    ['deep', '['.repeat(100_000)],
    ['large', `[${'{"a":1},'.repeat(500_000)}1]`],
    ['wide', `{${Array.from({ length: 300 }, (_, at) => `"k${at}":{"a":1,"b":2}`).join()}}`],
  ])('and diagnosed quickly if it is %s', (_, body) => {
    const began = process.cpuUsage();
    expect(judged('x', body)).toMatchObject({ verdict: 'bad' });
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
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
