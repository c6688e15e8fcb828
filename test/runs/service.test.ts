import { describe, expect, it } from 'vitest';
import { canConnect } from '../../src/client/can-connect.ts';
import { startServer } from '../../src/sandbox/http.ts';
import { calls, paths } from '../sandbox/calls.ts';
import { token } from '../sandbox/served.ts';
import { raw, rig as clientRig } from '../client/rig.ts';
import * as rig from './engine-rig.ts';

const contacts = Array.from({ length: 300 }, (_, at) =>
  JSON.stringify({ phone: `+1555${String(at).padStart(7, '0')}`, name: `Ada ${at}` }),
);

describe('a run against a real sandbox', () => {
  it('continues after an outage, and creates no contact twice', async () => {
    await using service = await restartable();
    const { send } = await client(service);
    let sent = 0;
    const gone = async (content: string) => {
      if (++sent === 100) await service.stop();
      return send(content);
    };
    let tries = 0;
    const reachable = async () => {
      if (++tries === 3) await service.start();
      return canConnect({ origin: service.url, signal: new AbortController().signal });
    };
    const folder = rig.stateFolder();
    const { counts, stopped } = await rig.part(folder, contacts, { concurrency: 16, send: gone, reachable });
    expect(tries).toBeGreaterThanOrEqual(3);
    expect([counts.failed, counts.left, stopped]).toEqual([0, 0, undefined]);
    expect(counts.unsure).toBeLessThanOrEqual(16);
    const created = service.created();
    expect(service.accepted()).toBe(new Set(created).size);
    expect(created.length).toBeGreaterThanOrEqual(counts.done);
    expect(created.length).toBeLessThanOrEqual(counts.done + counts.unsure);
  });

  it('stops at a refused key, and later sends all of its rows', async () => {
    await using service = await restartable();
    const folder = rig.stateFolder();
    const wrong = await client(service, 'sk_test_not-one-of-theirs');
    const first = await rig.part(folder, contacts, { send: wrong.send });
    expect(first.counts).toEqual({ done: 0, failed: 0, unsure: 0, left: 300 });
    expect(first.stopped).toMatchObject({ exit: 'keyRefused' });
    const right = await client(service);
    const second = await rig.part(folder, contacts, { send: right.send });
    expect(second.counts).toEqual({ done: 300, failed: 0, unsure: 0, left: 0 });
    expect(service.created()).toHaveLength(300);
  });
});

interface Service extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The phones of contacts in received requests. */
  created(): readonly string[];
  /** The number of executed requests. */
  accepted(): number;
}

/** A sandbox whose server can stop and restart on one port. */
async function restartable(): Promise<Service> {
  const { sandbox } = calls({ plan: 'enterprise' });
  const begin = (port: number) => startServer({ sandbox, token, pid: 42, build: 'b1', data: null, port });
  let server = await begin(0);
  const { url, port } = server;
  return {
    url,
    key: sandbox.keys.sandbox,
    start: async () => void (server = await begin(port)),
    stop: () => server.close(),
    created: () =>
      sandbox
        .contacts()
        .map(({ phone }) => phone)
        .filter((phone) => phone.startsWith('+1555')),
    accepted: () => sandbox.requests().filter(({ status }) => status < 300).length,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

async function client({ url, key }: Service, other = key) {
  const made = await clientRig('pool', url, { key: other });
  return { send: (body: string) => raw(made.client, { method: 'POST', path: paths.contacts, body }) };
}
