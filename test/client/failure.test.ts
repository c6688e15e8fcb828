import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/base/redact.ts';
import { errorFor } from '../../src/client/failure.ts';
import { type AttemptFailure, WireFailure, type WireFailureKind } from '../../src/client/wire.ts';

const redactor = createRedactor('sk_live_0123456789abcdef');
const answer = (status: number, body = '') => ({ status, headers: {}, body: Buffer.from(body) });
const refused = (status: number, body?: string): AttemptFailure => ({ kind: 'refused', answer: answer(status, body) });
const broken = (kind: WireFailureKind, sent: boolean) => new WireFailure(kind, sent, 'why');
const when = (method: string, url = 'https://api.example/x') => ({ method, url, redactor });
const post = (trouble: AttemptFailure) => errorFor(trouble, when('POST'));
const get = (trouble: AttemptFailure) => errorFor(trouble, when('GET'));

describe('errorFor', () => {
  it.each<[string, AttemptFailure, string, string, string]>([
    ['400', refused(400), 'rejected', 'no', 'rejected'],
    ['401', refused(401), 'keyRefused', 'no', 'keyRefused'],
    ['403', refused(403), 'keyRefused', 'no', 'keyRefused'],
    ['404', refused(404), 'notFound', 'no', 'notFound'],
    ['409', refused(409), 'unsure', 'unknown', 'rejected'],
    ['422', refused(422), 'rejected', 'no', 'rejected'],
    ['429', refused(429), 'rateLimited', 'no', 'rateLimited'],
    ['500', refused(500), 'unsure', 'unknown', 'serviceFault'],
    ['503', refused(503), 'unsure', 'unknown', 'serviceFault'],
    ['304', refused(304), 'unsure', 'unknown', 'serviceFault'],
    ['a refused connection', broken('connect', false), 'network', 'no', 'network'],
    ['an unknown host', broken('address', false), 'network', 'no', 'network'],
    ['a bad certificate', broken('tls', false), 'network', 'no', 'network'],
    ['a refusal by the proxy', broken('proxy', false), 'network', 'no', 'network'],
    ['a reset', broken('reset', true), 'unsure', 'unknown', 'network'],
    ['invalid HTTP', broken('garbled', true), 'unsure', 'unknown', 'serviceFault'],
    ['a too large response', broken('too-large', true), 'unsure', 'unknown', 'serviceFault'],
    ['a time-out after sending', broken('late', true), 'unsure', 'unknown', 'network'],
    ['a time-out before sending', broken('late', false), 'network', 'no', 'network'],
    ['invalid JSON', { kind: 'unreadable', answer: answer(200, 'x'), why: 'y' }, 'unsure', 'unknown', 'serviceFault'],
    ['a 302', { kind: 'redirected', answer: answer(302), why: 'y' }, 'unsafe', 'unknown', 'unsafe'],
    ['a 307', { kind: 'redirected', answer: answer(307), why: 'y' }, 'unsafe', 'no', 'unsafe'],
    ['an interruption', broken('interrupted', true), 'interrupted', 'unknown', 'interrupted'],
    ['an interruption before sending', broken('interrupted', false), 'interrupted', 'no', 'interrupted'],
  ])('classifies %s for a change and for a read', (_, trouble, exit, done, readExit) => {
    expect(post(trouble)).toMatchObject({ exit, done });
    expect(get(trouble)).toMatchObject({ exit: readExit, done: undefined });
  });

  it('states where keys are created, and what a plan or scope may lack', () => {
    expect(get(refused(401)).hint).toContain('account settings');
    expect(get(refused(403)).hint).toMatch(/plan.*scope/);
  });

  it('does not state which limit was exceeded, which the service does not report', () => {
    expect(get(refused(429)).hint).toMatch(/rate limit or monthly quota/);
  });

  it.each([
    [7_000, '7 s'],
    [601_000, '11 minutes'],
    [7_200_000, '2 hours'],
  ])('states that a service asks to wait %i ms', (wait, text) => {
    const { message } = errorFor(refused(429, '{"message":"m"}'), { ...when('POST'), wait });
    expect(message).toBe(`the service answered 429 Rate Limited, and asks to wait ${text}: m`);
  });

  it('suggests commands of the local sandbox', () => {
    const local = (trouble: AttemptFailure) => errorFor(trouble, { ...when('POST'), local: true }).hint;
    expect(local(refused(401))).toContain('bizmsg sandbox keys go-live');
    const asked = /may have been done.*bizmsg sandbox requests/;
    for (const trouble of [refused(500), broken('reset', true)]) expect(local(trouble)).toMatch(asked);
    expect(local(refused(429))).toBe(post(refused(429)).hint);
  });

  it('suggests --ca-file if a certificate is not trusted', () => {
    expect(get(broken('tls', false)).hint).toContain('--ca-file');
  });

  it('states where to report persistent faults', () => {
    expect(get(refused(500)).hint).toContain('support');
    expect(post(refused(500)).hint).toMatch(/may have been done.*support/);
  });

  it.each([
    ['{"detail":"no such template"}', 'no such template'],
    ['{"message":"m"}', 'm'],
    ['{"error":{"message":"m"}}', 'm'],
    ['{"error":"e"}', 'e'],
    ['{"title":"t","detail":"d"}', 'd'],
    ['{"detail":7,"title":"t"}', 't'],
    ['{"detail":"two\\nlines"}', undefined],
    [`{"detail":"${'x'.repeat(201)}"}`, undefined],
    ['["m"]', undefined],
    ['<html>', undefined],
    ['', undefined],
  ])('finds the message in %s', (body, detail) => {
    const tail = detail === undefined ? '' : `: ${detail}`;
    expect(get(refused(404, body)).message).toBe(`the service answered 404 Not Found${tail}`);
  });

  it('keeps a JSON body unchanged and cuts a long text', () => {
    expect(get(refused(400, '{"a":[1]}')).body).toEqual({ a: [1] });
    expect(get(refused(400)).body).toBeUndefined();
    expect(String(get(refused(400, '<'.repeat(9_000))).body)).toHaveLength(4_097);
  });

  it('suggests local sandbox commands only for the local sandbox', () => {
    const local = errorFor(broken('connect', false), when('GET', 'http://127.0.0.1:4780/x'));
    expect(local.hint).toContain('sandbox');
    expect(get(broken('connect', false)).hint).not.toContain('sandbox');
  });
});
