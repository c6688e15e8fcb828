import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { httpRequest } from '../../src/base/http-request.ts';
import { secret, signed } from '../commands/webhooks-rig.ts';
import { raw } from '../sandbox/served.ts';
import { bin, type Running, startBin } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { objects } from '../support/json-lines.ts';
import { pour } from '../webhooks/pour.ts';

const mebibyte = 1024 * 1024;
const esc = '\u001b';

let home: string;
beforeEach(() => {
  home = newHome();
});

const run = (...argv: readonly string[]) => bin(argv, { home });

async function listen(
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Running & { readonly port: number }> {
  const running = startBin(['webhooks', 'listen', '--port', '0', '-o', 'ndjson', ...flags], { home, env });
  onTestFinished(() => void alive(running.pid, 'SIGKILL'));
  await expect.poll(running.stdout).toContain('\n');
  const [ready] = objects(running.stdout());
  return { ...running, port: Number(ready?.['port']) };
}

const head = (...headers: readonly string[]) => ['POST /hostile HTTP/1.1', 'host: a', ...headers, '', ''].join('\r\n');
const bomb = gzipSync(Buffer.alloc(64 * mebibyte));
const packed = head('content-encoding: gzip', `content-length: ${bomb.length}`, 'connection: close');

type Attack = (port: number) => Promise<string>;
const attacks: Readonly<Record<string, readonly [Attack, string]>> = {
  'a body of 100 MB': [large, '413'],
  'no body': [bytes(head('connection: close')), '200'],
  'a body that is no JSON': [bytes(`${head('content-length: 2', 'connection: close')}{'`), '200'],
  'a gzip bomb': [bytes(Buffer.concat([Buffer.from(packed), bomb])), '200'],
  'an invalid length': [bytes(head('content-length: -1')), '400'],
  'two lengths': [bytes(`${head('content-length: 1', 'content-length: 2')}ab`), '400'],
  'a body shorter than its length': [cut, ''],
  'a header with escapes': [bytes(head(`x-event-type: ${esc}[2J${esc}]0;owned\u0007`)), '400'],
  'headers without end': [bytes(`POST / HTTP/1.1\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`), '431'],
};

it('answers hostile senders with clear errors, and records all valid events', { timeout: 60_000 }, async () => {
  const listening = await listen();
  const { port } = listening;
  const held = await hold(port, 1_000);
  const acknowledged: string[] = [];
  const acknowledge = (body: string) => void acknowledged.push(body);
  const lanes = Array.from({ length: 4 }, (_, lane) => Array.from({ length: 100 }, (_, at) => `${lane} ${at}`));
  const [answers] = await Promise.all([
    Promise.all(Object.entries(attacks).map(async ([name, [attack]]) => [name, await attack(port)])),
    ...lanes.map((bodies) => pour(port, bodies, acknowledge)),
  ]);
  expect(Object.fromEntries(answers)).toEqual(
    Object.fromEntries(Object.entries(attacks).map(([name, [, answer]]) => [name, answer])),
  );
  expect(acknowledged.toSorted()).toEqual(lanes.flat().sort());
  const kept = objects((await run('webhooks', 'list', '--limit', '1000', '-o', 'ndjson')).stdout);
  await expect.poll(() => objects(listening.stdout()).length).toBe(1 + kept.length);
  // Three of the hostile requests were answered 200.
  expect(kept).toHaveLength(acknowledged.length + 3);
  for (const socket of held) socket.destroy();
  alive(listening.pid, 'SIGINT');
  expect(await listening.ended).toBe(0);
});

it('decompresses only events that are correctly signed, if a secret is known', async () => {
  const body = '{"type":"order.paid"}';
  const packed = gzipSync(body);
  const { port, stdout } = await listen([], { BIZMSG_WEBHOOK_SECRET: secret });
  await send(port, packed, { 'content-encoding': 'gzip' });
  await send(port, packed, { 'content-encoding': 'gzip', ...Object.fromEntries(signed(packed)) });
  await send(port, body);
  await expect.poll(() => objects(stdout()).length).toBe(4);
  const problem = 'it is compressed, but not correctly signed';
  expect(objects(stdout()).slice(1)).toMatchObject([
    { name: null, body: packed.toString('base64'), problem },
    { name: 'order.paid', signature: { verdict: 'good' } },
    { name: 'order.paid', signature: { verdict: 'unsigned' } },
  ]);
});

it('shows an event of a million words', { timeout: 60_000 }, async () => {
  const { port } = await listen();
  const reason = 'ö '.repeat(1_000_000);
  await send(port, JSON.stringify({ type: 'message.failed', reason }));
  expect((await run('webhooks', 'show')).stdout).toContain(reason);
});

describe.skipIf(process.platform !== 'linux')('bodies in one-byte chunks that never end', () => {
  const connections = 8;
  const chunks = 250_000;

  it('use little memory in a listener, which still works', { timeout: 120_000 }, async () => {
    const { pid, port } = await listen();
    await drip(port, connections, chunks);
    expect(await httpRequest(`http://127.0.0.1:${port}/`, { body: '{}' })).toMatchObject({ status: 200 });
    expect(peakMemory(pid)).toBeLessThan(250);
  });

  it('use little memory in a sandbox, which still works', { timeout: 120_000 }, async () => {
    const running = startBin(['sandbox', 'start', '--port', '0', '--ephemeral', '-o', 'ndjson'], { home });
    onTestFinished(() => void alive(running.pid, 'SIGKILL'));
    await expect.poll(running.stdout).toContain('\n');
    const url = String(objects(running.stdout())[0]?.['url']);
    await drip(Number(new URL(url).port), connections, chunks);
    expect(await httpRequest(`${url}/api/public/contacts`, { method: 'GET' })).toMatchObject({ status: 401 });
    expect(peakMemory(running.pid)).toBeLessThan(250);
  });
});

async function send(
  port: number,
  body: string | Uint8Array<ArrayBuffer> = '',
  headers: Record<string, string> = {},
): Promise<void> {
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  expect(status).toBe(200);
}

/** Writes the requests; returns the response statuses. */
function bytes(text: string | Buffer): Attack {
  return async (port) => statusesIn(await raw(port, text));
}

async function large(port: number): Promise<string> {
  const { status } = await httpRequest(`http://127.0.0.1:${port}/`, { body: 'x'.repeat(100 * 1_000_000) });
  return String(status);
}

async function cut(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  socket.on('data', (part: Buffer) => (answer += part.toString())).end(`${head('content-length: 100')}{`);
  await once(socket, 'close');
  return statusesIn(answer);
}

/** Opens connections that send nothing, or headers without an end. */
async function hold(port: number, count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets.slice(0, 100)) socket.write('POST / HTTP/1.1\r\nx: ');
  return sockets;
}

function statusesIn(answer: string): string {
  return Array.from(answer.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status).join(' ');
}

const dripping = `
const { connect } = require('node:net');
const [port, connections, chunks] = process.argv.slice(1).map(Number);
const block = '1\\r\\nx\\r\\n'.repeat(1_000);
let unsent = connections;
for (let at = 0; at < connections; at++) {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write('POST /api/public/contacts HTTP/1.1\\r\\nhost: a\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n');
  let unsentChunks = chunks;
  const sendMore = (error) => {
    if (error || unsentChunks <= 0) return --unsent === 0 ? process.stdout.write('sent') : undefined;
    unsentChunks -= 1_000;
    socket.write(block, sendMore);
  };
  sendMore();
}
`;

/** Starts a process that sends bodies in one-byte chunks without an end, and stays connected during the test. */
async function drip(port: number, connections: number, chunks: number): Promise<void> {
  const args = [port, connections, chunks].map(String);
  const attacker = spawn(process.execPath, ['-e', dripping, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void attacker.kill('SIGKILL'));
  await once(attacker.stdout, 'data');
}

/** The peak memory of a process, in MiB. */
function peakMemory(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}
