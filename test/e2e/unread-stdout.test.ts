import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants as system } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { binary, cleanEnv } from '../support/bin.ts';
import { sandboxHome } from '../support/fake-service.ts';
import { objects } from '../support/json-lines.ts';
import { announced } from '../support/listeners.ts';
import { posixOnly } from '../support/system.ts';
import type { World } from '../support/world.ts';
import { pour } from '../webhooks/pour.ts';
import * as rig from './rig.ts';

posixOnly('a signal ends a process immediately');

/** Milliseconds until a process is killed, before the test times out. */
const limit = 40_000;

let home: string;
beforeEach(() => {
  home = sandboxHome();
});

type Unread = ReturnType<typeof unread>;

/** Runs the binary with sockets as its outputs, like Node's spawn, without reading stdout. */
function unread(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [binary, ...words], { env: cleanEnv(home, env) });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  child.stdin.end();
  const closed = once(child.stderr, 'close');
  let isStuck = false;
  const bound = setTimeout(() => (isStuck = child.kill('SIGKILL')), limit);
  /** The exit code, as a shell reports it. */
  const ended = once(child, 'exit').then(async ([code]) => {
    const { signalCode } = child;
    clearTimeout(bound);
    await closed;
    if (isStuck) throw new Error(`killed after ${limit / 1000} s: a write to its stdout seems to block it`);
    return signalCode === null ? Number(code) : 128 + system.signals[signalCode];
  });
  // A test that fails earlier does not wait for it.
  ended.catch(() => {});
  return { child, ended, stderr: () => stderr, read: () => slowly(child) };
}

/** Yields to the event loop a few times before each part. */
async function slowly({ stdout }: ChildProcessWithoutNullStreams): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdout) {
    parts.push(Buffer.from(part));
    for (let turns = 0; turns < 20; turns++) await turn();
  }
  return Buffer.concat(parts).toString();
}

const listenWords = ['webhooks', 'listen', '--port', '0', '-o', 'ndjson'];

async function listen() {
  const { running, port } = await announced(home, () => unread(listenWords));
  return { ...running, port };
}

/** Resolves to the number of events that were acknowledged. */
async function send({ port, child, ended }: Unread & { readonly port: number }, count: number): Promise<number> {
  const lanes = 10;
  const bodies = Array.from({ length: count / lanes }, (_, at) => JSON.stringify({ type: 'order.paid', at }));
  let acknowledged = 0;
  await Promise.all(Array.from({ length: lanes }, () => pour(port, bodies, () => (acknowledged += 1))));
  if (child.killed) await ended;
  return acknowledged;
}

const cutOff = 'not all of the result could be written: nothing reads it';

describe('a listener whose stdout is an unread socket', () => {
  it(
    'answers 2,000 events, ends on one SIGTERM, and reports that it did not print them',
    { timeout: 60_000 },
    async () => {
      const listening = await listen();
      expect(await send(listening, 2_000)).toBe(2_000);
      listening.child.kill('SIGTERM');
      expect([await listening.ended, listening.stderr()]).toEqual([143, expect.stringContaining(cutOff)]);
    },
  );

  it('loses no line if its reader starts reading after the signal', { timeout: 60_000 }, async () => {
    const listening = await listen();
    await send(listening, 2_000);
    listening.child.kill('SIGTERM');
    const printed = await listening.read();
    expect([await listening.ended, objects(printed).length, listening.stderr()]).toEqual([
      0,
      2_002,
      expect.not.stringContaining(cutOff),
    ]);
  });
});

it(
  'an import whose stdout is an unread socket ends on one SIGTERM, and can be continued',
  { timeout: 60_000 },
  async () => {
    const world = await rig.newWorld();
    home = world.home;
    const seeded = world.sandbox.counts().contacts;
    const file = rig.writePeople(world, 2_000);
    const running = unread(['contacts', 'import', file, '-o', 'ndjson'], world.env);
    await expect.poll(() => world.sandbox.counts().contacts).toBeGreaterThan(200);
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(143);
    const again = await world.run(['contacts', 'import', file]);
    expect([again.code, world.sandbox.counts().contacts]).toEqual([0, seeded + 2_000]);
  },
);

/** Its list of contacts does not fit into the buffers of a socket. */
async function newFullWorld(): Promise<World> {
  const world = await rig.newWorld();
  home = world.home;
  const contacts = Array.from({ length: 5_000 }, (_, at) => ({ phone: rig.phoneOf(at + 1), name: `P${at + 1}` }));
  world.sandbox.seed({ contacts });
  return world;
}

it('a result that is not fully printed after SIGTERM exits 143', { timeout: 60_000 }, async () => {
  const running = unread(['contacts', 'list', '--all', '-o', 'json'], (await newFullWorld()).env);
  await once(running.child.stdout, 'readable');
  running.child.kill('SIGTERM');
  expect(await running.ended).toBe(143);
});
