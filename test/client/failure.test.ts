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
    expect(local(refused(401))).toContain('bizmsg sandbox set live=on');
    const asked = /may have been done[^]*\nbizmsg sandbox log/;
    for (const trouble of [refused(500), broken('reset', true)]) expect(local(trouble)).toMatch(asked);
    expect(local(refused(429))).toBe(post(refused(429)).hint);
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

  it('suggests local sandbox commands only for the local sandbox', () => {
    const local = errorFor(broken('connect', false), when('GET', 'http://127.0.0.1:4780/x'));
    expect(local.hint).toContain('sandbox');
    expect(get(broken('connect', false)).hint).not.toContain('sandbox');
  });
});
