import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import type { Database } from '../../src/base/transaction.ts';
import { openLogs } from '../../src/logs/database.ts';
import { type Delivery, eventsAfter, eventWith, type Received, recordEvents } from '../../src/logs/events.ts';
import { type Attempt, recordForward } from '../../src/logs/forwards.ts';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from '../../src/webhooks/receive/server.ts';
import { alive, later } from '../support/cli.ts';

/** This machine, as listeners use it. */
export const machine = {
  kill: alive,
  later,
  now: Date.now,
  pid: process.pid,
  random: Math.random,
  sqlite: loadSqlite,
  steady: () => performance.now(),
};

/** A folder that is removed after the test. */
export function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-events-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface TestLogs {
  readonly logs: Database;
  /** Records one delivery. */
  received(delivery: Delivery): Promise<Received>;
  /** Records that an event was forwarded. */
  forwarded(forwarded: Attempt & { readonly event: string }): Promise<void>;
  /** All events, oldest first. */
  all(): Promise<readonly Received[]>;
}

/** The logs in a state folder, as a listener writes them. */
export async function logsIn(stateFolder: string, now: () => number = Date.now): Promise<TestLogs> {
  const logs = await openLogs(stateFolder, { host: machine, note() {} });
  onTestFinished(() => logs.close());
  return {
    logs,
    async received(delivery) {
      const recording = { delivery, at: now(), destination: undefined };
      const number = await logs.write(recordEvents('test', [recording], 0));
      const [event] = await logs.read(eventWith(number));
      if (!event) throw new Error('nothing was recorded');
      return event;
    },
    forwarded: ({ event, ...attempt }) => logs.write(recordForward(Number(event.slice(1)), now(), attempt)),
    async all() {
      const found: Received[] = [];
      for (let page = await logs.read(eventsAfter(0)); page.length > 0;) {
        found.push(...page);
        page = await logs.read(eventsAfter(found.at(-1)?.number ?? 0));
      }
      return found;
    },
  };
}

export function delivery(body: string | Uint8Array = '{}', rest: Partial<Delivery> = {}): Delivery {
  return {
    method: 'POST',
    path: '/',
    headers: [],
    remote: '127.0.0.1',
    port: 4781,
    ...rest,
    body: Buffer.from(body),
  };
}

export interface Receiving extends RunningReceiver {
  /** The recorded events, oldest first. */
  readonly recorded: readonly Delivery[];
  readonly warned: readonly string[];
}

/** A receiver on a free port, which keeps events in memory; closed after the test. */
export async function receiving(options: Partial<ReceiverOptions> = {}): Promise<Receiving> {
  const recorded: Delivery[] = [];
  const warned: string[] = [];
  const warn = (text: string) => void warned.push(text);
  const record = async (delivery: Delivery) => {
    await options.record?.(delivery);
    recorded.push(delivery);
  };
  const receiver = await startReceiver({ port: 0, now: Date.now, warn, ...options, record });
  onTestFinished(() => receiver.close());
  return { ...receiver, recorded, warned };
}

/** Returns the first `count` items. */
export async function take<T>(items: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  if (count === 0) return taken;
  for await (const item of items) if (taken.push(item) === count) break;
  return taken;
}
