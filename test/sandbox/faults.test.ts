import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../src/base/http-request.ts';
import { operations } from '../../src/sandbox/control/operations.ts';
import type { NewFault } from '../../src/sandbox/faults.ts';
import { openRemote } from '../../src/sandbox/remote/remote.ts';
import { thrown } from '../support/thrown.ts';
import { bearing, calls, order, paths } from './calls.ts';
import { served, token } from './served.ts';

const onContacts: NewFault = { on: ['listContacts'], effect: { kind: 'status', status: 503 } };

describe.each<[NewFault['effect'], seen: string, status: number]>([
  [{ kind: 'status', status: 500 }, '500 application/problem+json', 500],
  [{ kind: 'status', status: 503 }, '503 application/problem+json', 503],
  [{ kind: 'latency', ms: 5 }, '200 application/json', 200],
  [{ kind: 'reset' }, 'ECONNRESET', 0],
  [{ kind: 'hang' }, 'nothing', 0],
])('with %o an answer', (effect, seen, status) => {
  it.each([false, true])('fails before or after executing the request once: %s', async (after) => {
    await using server = await served();
    const { id } = server.sandbox.faults.add({ on: ['sendTemplate'], effect, after });
    expect(await send(server, { leaves: effect.kind === 'hang' })).toBe(seen);
    expect(server.sandbox.messages()).toHaveLength(after || effect.kind === 'latency' ? 1 : 0);
    const detail = effect.kind === 'latency' ? 'latency 5 ms' : after ? 'after execution' : 'not executed';
    expect(server.sandbox.requests()).toMatchObject([{ status, fault: id, detail: expect.stringContaining(detail) }]);
  });
});

describe('a fault', () => {
  it('matches only requests to its endpoint, with a valid key and within the rate limit', async () => {
    await using server = await served();
    const { sandbox } = server;
    sandbox.setPlan({ name: 'starter', perMinute: 2, without: [] });
    sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 503 } });
    expect(await send(server, { key: 'sk_test_local-none' })).toBe('401 application/problem+json');
    expect(await ask(server, 'GET', paths.contacts)).toBe('200 application/json');
    expect(await send(server)).toBe('503 application/problem+json');
    expect(await send(server)).toBe('429 application/problem+json');
    expect(sandbox.faults.list()).toMatchObject([{ injected: 1 }]);
  });

  it('takes precedence over other errors; with after, the log has both', async () => {
    await using server = await served();
    const { sandbox } = server;
    const fault = sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 502 } });
    await ask(server, 'POST', paths.send, { body: '{' });
    sandbox.faults.clear(fault.id);
    sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'reset' }, after: true });
    await ask(server, 'POST', paths.send, { body: '{' });
    expect(sandbox.requests().map(({ status, detail }) => [status, detail])).toEqual([
      [502, 'status 502, not executed'],
      [0, 'reset, after execution; the body is not valid JSON in UTF-8'],
    ]);
  });

  it('that hangs does not prevent closing the sandbox', async () => {
    const server = await served();
    server.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'hang' }, after: true });
    server.sandbox.faults.add({ on: ['listContacts'], effect: { kind: 'latency', ms: 3_600_000 } });
    const called = server.sandbox.waitForNext('request');
    const waiting = [ask(server, 'GET', paths.contacts), send(server)];
    await called;
    server.sandbox.close();
    await server.close();
    expect(await Promise.all(waiting)).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect(server.sandbox.requests()).toHaveLength(1);
  });

  it('expires after its injections, also after a restart', async () => {
    const before = calls();
    before.sandbox.faults.add({ ...onContacts, times: 2 });
    expect(await before.get(paths.contacts)).toMatchObject({ status: 503 });
    const after = calls({ file: before.file });
    expect(await after.get(paths.contacts)).toMatchObject({ status: 503 });
    expect(await after.get(paths.contacts)).toMatchObject({ status: 200 });
    expect(after.sandbox.faults.list()).toMatchObject([{ injected: 2, active: false }]);
  });

  it('that delays an answer waits in real time, before or after execution', async () => {
    const { post, sandbox } = calls();
    const effect = { kind: 'latency', ms: 1 } as const;
    const { id } = sandbox.faults.add({ on: ['sendTemplate'], effect });
    const late = post(paths.send, order);
    expect([sandbox.messages().length, (await late).status, sandbox.messages().length]).toEqual([0, 200, 1]);
    sandbox.faults.clear(id);
    sandbox.faults.add({ on: ['sendTemplate'], effect, after: true });
    const done = post(paths.send, order);
    expect([sandbox.messages().length, (await done).status, sandbox.messages().length]).toEqual([2, 200, 2]);
  });

  it('that delays an answer does not execute the request if the client disconnects', async () => {
    const { sandbox } = calls();
    const headers = bearing(sandbox.keys.sandbox);
    sandbox.faults.add({ ...onContacts, effect: { kind: 'latency', ms: 3_600_000 } });
    const exchange = { method: 'GET', target: paths.contacts, headers, body: '' };
    expect(await sandbox.answer(exchange, () => AbortSignal.abort())).toMatchObject({ status: 0 });
    const detail: unknown = expect.stringContaining('the client disconnected');
    expect(sandbox.requests()).toMatchObject([{ status: 0, detail }]);
  });

  it.each([
    ['without a name', { on: [] }, '/on'],
    ['on what there is not', { on: ['sendTemplates'] }, '/on/0'],
    ['of an answer on an event', { on: ['order.paid'] }, 'order.paid'],
    ['of an event on an answer', { effect: { kind: 'drop' } }, 'listContacts'],
    ['after an event', { on: ['order.paid'], effect: { kind: 'drop' }, after: true }, '/after'],
    ['with a status that is no error', { effect: { kind: 'status', status: 200 } }, '400 to 599'],
    ['later than a timer can be', { effect: { kind: 'latency', ms: 2 ** 31 } }, '/effect/ms'],
    ['that never strikes', { times: 0 }, '/times'],
  ])('%s is rejected', (_, change, problem) => {
    const { sandbox } = calls();
    const { at, message } = Object(thrown(() => operations.addFault.call({ sandbox }, { ...onContacts, ...change })));
    expect(`${at} ${message}`).toContain(problem);
    expect(sandbox.faults.list()).toEqual([]);
  });
});

type Server = Awaited<ReturnType<typeof served>>;

interface Asking {
  readonly key?: string;
  readonly body?: string;
  /** Resolves once the sandbox has processed the request and had time to answer. */
  readonly leaves?: boolean;
}

/** A short description of the answer on a socket. */
async function ask(server: Server, method: string, target: string, asking: Asking = {}): Promise<string> {
  const { key = server.sandbox.keys.sandbox, body = '', leaves = false } = asking;
  const leaving = new AbortController();
  const called = server.sandbox.waitForNext('request');
  const seen = httpRequest(server.url + target, { method, headers: bearing(key), body, signal: leaving.signal }).then(
    ({ status, headers, body: text }) =>
      `${status} ${String(headers['content-type']).replace(/;.*/, '')}${text.startsWith('{') ? '' : ', no JSON'}`,
    ({ code }: NodeJS.ErrnoException) => (code === 'ABORT_ERR' ? 'nothing' : String(code)),
  );
  if (leaves) {
    await called;
    await openRemote({ url: server.url, token }).ask('status');
    leaving.abort();
  }
  return seen;
}

function send(server: Server, asking: Asking = {}): Promise<string> {
  return ask(server, 'POST', paths.send, { body: JSON.stringify(order), ...asking });
}
