import { expect, it } from 'vitest';
import { createLanes } from '../../src/delivery/lanes.ts';
import { forwardRequest, forwardUrl, refuseItself, resultOf } from '../../src/webhooks/forward.ts';
import { manualTimers } from '../support/timers.ts';
import { delivery } from './rig.ts';

it.each([
  ['3000', 'http://localhost:3000/'],
  ['3000/hook', 'http://localhost:3000/hook'],
  ['localhost:3000/hook', 'http://localhost:3000/hook'],
  ['https://hooks.example.com/a?b=1', 'https://hooks.example.com/a?b=1'],
])('parses %s as the address %s', (text, url) => {
  expect(forwardUrl(text).href).toBe(url);
});

it.each(['', 'ftp://here', 'http://me:secret@here'])('refuses "%s" as an address', (text) => {
  expect(() => forwardUrl(text)).toThrow(/address/);
});

it('forwards headers in order, except hop-by-hop headers', () => {
  const headers = [
    ['Host', 'here'],
    ['X-One', '1'],
    ['Connection', 'close, X-Hop'],
    ['x-hop', 'gone'],
    ['Transfer-Encoding', 'chunked'],
    ['X-One', '2'],
  ] as const;
  const request = forwardRequest(delivery(Buffer.from([0xff, 1]), { headers }), new URL('http://there:1/'));
  expect(request.headers).toEqual(['host', 'there:1', 'X-One', '1', 'X-One', '2', 'content-length', '2']);
  expect([...request.body]).toEqual([0xff, 1]);
});

it('does not forward headers by which a sender would seem to be a known client or proxy', () => {
  const names = ['Cookie', 'AUTHORIZATION', 'Forwarded', 'X-Forwarded-For', 'x-forwarded-host', 'Proxy-Authorization'];
  const headers = [...names, 'X_Forwarded_For', 'proxy_authorization', 'X-Forward'].map((name) => [name, '1'] as const);
  const request = forwardRequest(delivery('', { headers }), new URL('http://there:1/'));
  expect(request.headers).toEqual(['host', 'there:1', 'X-Forward', '1', 'content-length', '0']);
});

it('masks a key in what the handler answered', () => {
  const key = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';
  const body = `${'x'.repeat(990)}${key}`;
  const result = resultOf({ response: { status: 500, headers: {}, body } });
  expect([result.status, result.body?.slice(-10)]).toEqual([500, 'sk_live_…q']);
});

it.each([
  ['http://localhost', 80],
  ['https://localhost', 443],
  ['http://0.0.0.0:4781', 4781],
  ['http://[::]:4781', 4781],
  ['http://[::ffff:127.0.0.1]:4781', 4781],
  ['http://127.1.2.3:4781', 4781],
  ['http://hooks.localhost:4781', 4781],
])('refuses to forward to %s, which is the listener on port %i', (url, port) => {
  expect(() => refuseItself(new URL(url), port)).toThrow('this listener itself');
});

it.each(['http://localhost:4782', 'http://hooks.example.com:4781'])('forwards to %s, not the listener', (url) => {
  expect(() => refuseItself(new URL(url), 4781)).not.toThrow();
});

it('keeps a lane in order while a task waits for its retry', async () => {
  const timers = manualTimers();
  const lanes = createLanes(timers.later);
  const began: string[] = [];
  const waits = [5, undefined];
  lanes.add('a lane', async () => waits[began.push('first') - 1]);
  lanes.add('a lane', async () => void began.push('second'));
  await expect.poll(() => timers.armed.size).toBe(1);
  expect(began).toEqual(['first']);
  timers.fire(5);
  await expect.poll(() => began).toEqual(['first', 'first', 'second']);
});
