import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import type { NewFault } from '../../../src/sandbox/faults.ts';
import { paths } from '../calls.ts';
import { ask, send } from '../asked.ts';
import { served, token } from '../served.ts';

const kinds: readonly (readonly [NewFault['effect'], seen: string, status: number])[] = [
  [{ kind: 'status', status: 500 }, '500 application/problem+json', 500],
  [{ kind: 'status', status: 503 }, '503 text/html, no JSON', 503],
  [{ kind: 'latency', ms: 5 }, '200 application/json', 200],
  [{ kind: 'reset' }, 'ECONNRESET', 0],
  [{ kind: 'hang' }, 'nothing', 0],
];

describe.each(kinds)('with %o an answer', (effect, seen, status) => {
  it('fails without executing the request', async () => {
    await using server = await served();
    const { id } = server.sandbox.faults.add({ on: ['sendTemplate'], effect });
    expect(await send(server, { leaves: effect.kind === 'hang' })).toBe(seen);
    expect(server.sandbox.messages()).toHaveLength(effect.kind === 'latency' ? 1 : 0);
    const detail: unknown = expect.stringContaining(effect.kind === 'latency' ? 'latency 5 ms' : 'not executed');
    expect(server.sandbox.requests()).toMatchObject([{ status, fault: id, detail }]);
  });

  it('fails after executing the request once', async () => {
    await using server = await served();
    const { id } = server.sandbox.faults.add({ on: ['sendTemplate'], effect, after: true });
    expect(await send(server, { leaves: effect.kind === 'hang' })).toBe(seen);
    expect(server.sandbox.messages()).toHaveLength(1);
    expect(server.sandbox.requests()).toMatchObject([{ status, fault: id }]);
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
    expect(await send(server)).toBe('503 text/html, no JSON');
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

  it('does not affect the control plane', async () => {
    await using server = await served();
    const on = ['sendTemplate', 'listContacts', 'createContact', 'listTemplates', 'listCampaigns'] as const;
    server.sandbox.faults.add({ on, effect: { kind: 'reset' } });
    const headers = { 'x-sandbox-token': token };
    const answer = await httpRequest(`${server.url}/__sandbox/status`, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(JSON.parse(answer.body)).toMatchObject({ faults: 1 });
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
});
