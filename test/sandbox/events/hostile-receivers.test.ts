import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { deadPort, serve, serveBytes } from '../../client/servers.ts';
import { type BadResponse, badResponseNames, badResponses } from '../../support/fake-service.ts';
import { paths } from '../calls.ts';
import { courier, courierWorld, receiver } from '../receiver.ts';

/** Returns the result of one delivery. */
async function delivered(url: string, timeout?: number) {
  const { sandbox, post } = courierWorld({ timeout });
  sandbox.webhooks.add({ url });
  await post(paths.contacts, { phone: '+12025550142' });
  await sandbox.settled();
  const [row] = sandbox.deliveries();
  const [attempt, ...others] = sandbox.delivery(row?.id ?? '').flatMap(({ attempts }) => attempts);
  expect(others).toEqual([]);
  return { state: row?.state, status: attempt?.response?.status, error: attempt?.error, response: attempt?.response };
}

const failures: Readonly<Partial<Record<BadResponse, RegExp>>> = {
  'a reset': /^closed the connection without an answer$/,
  'a closed connection': /^closed the connection without an answer$/,
  'no response': /^no whole answer within 0.2 s$/,
  'headers without a body': /^no whole answer within 2 s$/,
  'incomplete JSON and a closed connection': /^the answer broke off/,
  'a switch of protocols': /^closed the connection without an answer$/,
  'invalid HTTP': /Parse Error/,
};
/** How long a receiver has, in milliseconds. Headers must arrive in that time. */
const limits: Readonly<Partial<Record<BadResponse, number>>> = { 'no response': 200, 'headers without a body': 2_000 };
const refusals = new Set<BadResponse>(['a 500', 'a 503 of a gateway in HTML', 'JSON that nests too deep']);

describe('a receiver that answers with', () => {
  it.each(badResponseNames)('%s gets one attempt with a recorded result', async (name) => {
    const { url, seen } = await serve((_, __, response) => badResponses[name](response));
    const { state, error } = await delivered(url, limits[name]);
    const fails = name in failures || refusals.has(name);
    expect([seen.length, state]).toEqual([1, fails ? 'waiting' : 'delivered']);
    expect(error ?? 'none').toMatch(failures[name] ?? /^none$/);
  });

  it('an endless body is read up to 64 KiB', async () => {
    const { url } = await serve((_, __, response) => {
      const more = () => {
        while (response.write('é'.repeat(50_001)));
        response.once('drain', more);
      };
      response.write('x');
      more();
    });
    const { state, response } = await delivered(url);
    // The cut goes through the last character.
    expect(Buffer.byteLength(response?.body ?? '')).toBe(65_535);
    expect([state, response?.encoding]).toEqual(['delivered', undefined]);
  });

  it('binary data is recorded in base64', async () => {
    const { url } = await receiver((response) => response.end(Buffer.from([0xff, 0xfe, 0x00])));
    expect((await delivered(url)).response).toMatchObject({ body: '//4A', encoding: 'base64' });
  });
});

describe('a receiver', () => {
  it('that is not running is a failed attempt', async () => {
    const { state, error } = await delivered(`http://127.0.0.1:${await deadPort()}/`);
    expect([state, error]).toEqual(['waiting', expect.stringMatching(/^connection refused by 127\.0\.0\.1:\d+$/)]);
  });

  it('with an untrusted certificate is a failed attempt', async () => {
    const { url, seen } = await serve((_, __, response) => response.end(), 'https');
    const { state, error } = await delivered(url);
    expect([state, seen.length, error]).toEqual(['waiting', 0, expect.stringMatching(/certificate/)]);
  });

  it.each(['localhost', 'hooks.localhost'])('is found by the name %s', async (name) => {
    const { url } = await receiver();
    expect(await delivered(url.replace('127.0.0.1', name))).toMatchObject({ state: 'delivered' });
  });
});

describe('a connection', () => {
  it('is reused for the next delivery', async () => {
    const ports = new Set<number | undefined>();
    const { sandbox, post } = await courier((response) => {
      ports.add(response.socket?.remotePort);
      response.end();
    });
    for (const phone of ['+1', '+2', '+3']) {
      await post(paths.contacts, { phone });
      await sandbox.settled();
    }
    expect(ports.size).toBe(1);
  });

  it('that was closed meanwhile costs no attempt: the request is repeated on a new one', async () => {
    const { sandbox, post } = courierWorld();
    const { url, requests } = await serveBytes((socket) => {
      // The second request on a connection finds it reset.
      if (requests.length === 2) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    sandbox.webhooks.add({ url });
    for (const phone of ['+1', '+2']) {
      await post(paths.contacts, { phone });
      await sandbox.settled();
    }
    expect(requests).toHaveLength(3);
    expect(requests[1]).toBe(requests[2]);
    const delivered = { state: 'delivered', attempts: 1 };
    expect(sandbox.deliveries()).toMatchObject([delivered, delivered]);
  });
});

it('closing a sandbox aborts deliveries in flight, and records nothing more', async () => {
  const hanging: ServerResponse[] = [];
  const { sandbox, post, file, got } = await courier((response) => hanging.push(response));
  await post(paths.contacts, { phone: '+12025550142' });
  await got(1);
  const gone = new Promise((resolve) => hanging[0]?.on('close', resolve));
  const before = file.text();
  sandbox.close();
  await Promise.all([gone, sandbox.settled()]);
  expect(file.text()).toBe(before);
});
