import { createSandbox } from 'bizmsg/sandbox';
import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import { order, paths, sent } from '../calls.ts';

describe('a sandbox in a test', () => {
  it('answers without a socket, and returns what it recorded', async () => {
    await using sandbox = createSandbox({ clock: { at: Date.UTC(2026, 4, 1, 12) } });
    const answer = await sent(sandbox);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } });
    const { message_id: id } = JSON.parse(answer.body);
    const at = '2026-05-01T12:00:00.000Z';
    const text = 'Hello Ada, your order A-1042 is on its way.';
    expect(sandbox.messages()).toEqual([{ id, ...order, mode: 'sandbox', status: 'accepted', sent_at: at, text }]);
    const [key] = sandbox.keys.list();
    expect(sandbox.requests()).toMatchObject([
      { at, method: 'POST', path: paths.send, status: 200, key: key?.id, message_id: id },
    ]);
    await sandbox.clock.advance('500ms');
    expect(sandbox.messages()).toMatchObject([{ status: 'delivered' }]);
    expect(sandbox.events()).toMatchObject([
      { type: 'message.delivered', data: { message_id: id }, payload: { type: 'message.delivered' } },
    ]);
  });

  it('accepts strings, bytes and objects as a body, and headers in any form', async () => {
    await using sandbox = createSandbox();
    const headers = new Headers({ authorization: `Bearer ${sandbox.keys.sandbox}` });
    const json = JSON.stringify({ phone: '+12025550142' });
    const typed = [...headers, ['content-type', 'application/json'] as const];
    const statusOf = async (body: object | string, sent: typeof headers | typeof typed) =>
      (await sandbox.answer({ path: paths.contacts, headers: sent, body })).status;
    expect([await statusOf(json, typed), await statusOf(new TextEncoder().encode(json), typed)]).toEqual([201, 200]);
    expect(await statusOf({ phone: '+12025550143' }, headers)).toBe(201);
    expect(sandbox.contacts().slice(5)).toMatchObject([{ phone: '+12025550142' }, { phone: '+12025550143' }]);
    expect(await sandbox.answer({ path: paths.contacts, headers })).toMatchObject({ status: 200 });
  });

  it('answers requests with the host of the real service, without a port', async () => {
    await using sandbox = createSandbox();
    const headers = { authorization: `Bearer ${sandbox.keys.sandbox}`, Host: 'api.example.com' };
    expect(await sandbox.answer({ path: paths.contacts, headers })).toMatchObject({ status: 200 });
  });

  it('does not expose its control plane', async () => {
    await using sandbox = createSandbox();
    const { url } = await sandbox.listen();
    expect(await httpRequest(`${url}/__sandbox/status`, { body: '{}' })).toMatchObject({ status: 403 });
  });

  it('has random keys, and is identical otherwise with the same seed', async () => {
    const lived = async () => {
      await using sandbox = createSandbox({ seed: 'a seed', clock: 'manual' });
      await sent(sandbox);
      await sandbox.clock.advance('1m');
      const keys = [sandbox.keys.sandbox, sandbox.keys.live, sandbox.keys.create(), sandbox.secret()];
      const requests = sandbox.requests().map((request) => ({ ...request, key: undefined }));
      return { keys, rest: [sandbox.messages(), sandbox.events(), requests] };
    };
    const [first, second] = [await lived(), await lived()];
    expect(first.rest).toEqual(second.rest);
    expect(new Set([...first.keys, ...second.keys]).size).toBe(8);
  });
});
