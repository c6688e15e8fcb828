import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Answering, serve } from '../client/servers.ts';
import { temporaryHome } from './bin.ts';
import { stopSandboxes } from './cli.ts';

export const testKey = 'sk_test_0123456789abcdef';

/** Bad responses of a service that has executed the request. */
export const badResponses = {
  'a 500': (response) => response.writeHead(500).end('{"message":"oh"}'),
  'a 503 of a gateway in HTML': (response) => response.writeHead(503).end('<h1>busy</h1>'),
  'a reset': (response) => response.socket?.resetAndDestroy(),
  'a closed connection': (response) => response.socket?.end(),
  'no response': () => {},
  'headers without a body': (response) => response.writeHead(200, { 'Content-Length': '40' }).flushHeaders(),
  'incomplete JSON': (response) => response.writeHead(200).end('{"message_id":"msg_'),
  'incomplete JSON and a closed connection': (response) => {
    response.writeHead(200, { 'Content-Length': '40' }).write('{"message_id":');
    response.socket?.end();
  },
  'HTML with 200': (response) => response.writeHead(200).end('<html>welcome</html>'),
  'an empty 200': (response) => response.writeHead(200).end(),
  'a message_id that is a number': (response) => response.writeHead(200).end('{"message_id":7}'),
  'an empty message_id': (response) => response.writeHead(200).end('{"message_id":""}'),
  'JSON that nests too deep': (response) => response.writeHead(500).end('['.repeat(30_000) + ']'.repeat(30_000)),
  'a switch of protocols': (response) =>
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\n'),
  'an array': (response) => response.writeHead(200).end('[]'),
  'invalid HTTP': (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'a body of 34 MiB': (response) => {
    response.writeHead(200);
    for (let mebibyte = 0; mebibyte < 34; mebibyte++) response.write(' '.repeat(1024 * 1024));
    response.end('{"message_id":"msg_1"}');
  },
} as const satisfies Readonly<Record<string, (response: ServerResponse) => unknown>>;

export type BadResponse = keyof typeof badResponses;
export const badResponseNames = Object.keys(badResponses).filter((name): name is BadResponse => name in badResponses);

/** Starts a service with the given responses for this test, with a home and an environment that call it. */
export async function openHostile(answer: Answering) {
  const service = await serve(answer);
  return { ...service, home: newHome(), env: callerOf(service.url) };
}

export function callerOf(url: string, key = testKey): Readonly<Record<string, string>> {
  return { BIZMSG_BASE_URL: url, BIZMSG_API_KEY: key };
}

/** A home whose sandboxes in the background are stopped at the end. */
export function sandboxHome(): string {
  const home = newHome();
  onTestFinished(() => stopSandboxes(home));
  return home;
}

export function newHome(): string {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  return home.path;
}
