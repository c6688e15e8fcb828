import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../src/base/http-request.ts';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { raw, served, token } from './served.ts';
import { bearing, order, paths } from './calls.ts';

describe('over HTTP', () => {
  it('listens on both addresses of localhost, if there are two', async () => {
    await using server = await served();
    const ask = (host: string) =>
      httpRequest(`http://${host}:${server.port}/`, { method: 'GET' }).then(({ status }) => status);
    expect(await ask('localhost')).toBe(401);
    expect(await ask('[::1]').catch(({ code }: NodeJS.ErrnoException) => code)).toSatisfy(
      (seen) => seen === 401 || seen === 'EADDRNOTAVAIL' || seen === 'EAFNOSUPPORT' || seen === 'ECONNREFUSED',
    );
  });

  it('is not reachable from another machine', async () => {
    await using server = await served();
    const socket = connect(server.port, '127.0.0.2');
    expect(await once(socket, 'connect').catch(({ code }: NodeJS.ErrnoException) => code)).toBe('ECONNREFUSED');
  });
});

describe('broken HTTP', () => {
  const key = 'Authorization: Bearer x';
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['another protocol', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), 400],
    ['a version of the future', 'GET / HTTP/9.9\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`, 400],
    ['an invalid length', `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: many\r\n\r\n`, 400],
    ['two lengths', `POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab`, 400],
    ['no host', `GET / HTTP/1.1\r\n${key}\r\nconnection: close\r\n\r\n`, 401],
    ['an expectation', `GET / HTTP/1.1\r\n${key}\r\nexpect: wonders\r\nconnection: close\r\n\r\n`, 401],
    ['an upgrade', `GET / HTTP/1.1\r\n${key}\r\nupgrade: websocket\r\nconnection: close\r\n\r\n`, 401],
  ])('with %s is answered in JSON', async (_, bytes, status) => {
    await using server = await served();
    const [head = '', body = ''] = (await raw(server.port, bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status });
  });

  it('includes a body of 100 MB; the next request is answered', async () => {
    await using server = await served();
    const huge = await httpRequest(server.url + paths.send, headed(server, 'x'.repeat(100_000_000)));
    expect(JSON.parse(huge.body)).toMatchObject({ status: 400, detail: expect.stringContaining('1 MiB') });
    expect(server.sandbox.audit(server.sandbox.keys.sandbox)).toMatchObject([{ status: 400 }]);
    expect(await httpRequest(server.url + paths.send, headed(server, JSON.stringify(order)))).toMatchObject({
      status: 200,
    });
  });

  it('on 2,000 connections, silent or with endless headers, delays no other request', async () => {
    await using server = await served();
    const sockets = Array.from({ length: 2_200 }, () => connect(server.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    sockets.forEach((socket: Socket, index) => {
      socket.on('error', () => {});
      if (index >= 2_000) socket.write('GET /slow HTTP/1.1\r\nhost: a');
    });
    expect(await httpRequest(server.url + paths.send, headed(server, JSON.stringify(order)))).toMatchObject({
      status: 200,
    });
    for (const socket of sockets) socket.destroy();
  });

  it.each([
    ['its headers', `POST ${paths.send} HTTP/1.1\r\nhost: a`],
    ['its body', `POST ${paths.send} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ])('with %s that never ends is answered, and its connection closed', async (_, text) => {
    await using server = await served({ patience: 100 });
    const [head = '', body = ''] = (await raw(server.port, text)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toMatchObject({ detail: 'the request took too long to arrive' });
  });

  it('that ends in the middle of a body is not executed', async () => {
    await using server = await served();
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST ${paths.send} HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{`);
    await once(socket, 'connect');
    socket.destroy();
    expect(await httpRequest(server.url + paths.send, headed(server, JSON.stringify(order)))).toMatchObject({
      status: 200,
    });
    expect(server.sandbox.messages()).toHaveLength(1);
  });
});

it('a port that was not requested is the next free one, except the listener’s', async () => {
  await using first = await served({ port: undefined });
  await using second = await served({ port: undefined });
  expect(new Set([first.port, second.port, 4781]).size).toBe(3);
  expect(await httpRequest(`${second.url}/`, { method: 'GET' })).toMatchObject({ status: 401 });
});

it('calls onIdle half an hour after the last request', async () => {
  const minute = 60_000;
  const clock = manualClock(0);
  const idle: number[] = [];
  await using server = await served({ clock, onIdle: () => idle.push(clock.now()) });
  await clock.advance(20 * minute);
  await httpRequest(`${server.url}/`, { method: 'GET' });
  await clock.advance(30 * minute - 1);
  expect(idle).toEqual([]);
  await clock.advance(60 * minute);
  expect(idle).toEqual([50 * minute]);
});

function headed({ sandbox }: Awaited<ReturnType<typeof served>>, body: string) {
  return { headers: bearing(sandbox.keys.sandbox), body };
}

it('counts an open page as activity', async () => {
  const clock = manualClock();
  let told = 0;
  await using server = await served({ clock, idle: 60_000, onIdle: () => told++ });
  const headers = { 'x-sandbox-token': token };
  const { body } = await fetch(`${server.url}/__sandbox/stream`, { headers });
  const reader = body?.getReader();
  await reader?.read();
  await clock.advance(600_000);
  expect(told).toBe(0);
  await reader?.cancel();
  await expect
    .poll(async () => {
      await clock.advance(120_000);
      return told;
    })
    .toBeGreaterThan(0);
});
