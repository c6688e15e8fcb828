import type { Later } from '../../src/base/host.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type EventLog, type EventLogOptions, openEventLog } from '../../src/webhooks/log/log.ts';
import type { Delivery, Received } from '../../src/webhooks/log/records.ts';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from '../../src/webhooks/receive/server.ts';
import { alive } from '../support/cli.ts';

export const later: Later = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

/** A folder that is removed after the test. */
export function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-events-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface TestLog extends EventLog {
  /** Records one delivery. */
  received(delivery: Delivery): Received;
  /** The events one by one. */
  feed(): AsyncGenerator<Received>;
}

/** The log of a listener in this process. */
export function logIn(stateFolder: string, options: Partial<EventLogOptions> = {}): TestLog {
  const log = openEventLog({ stateFolder, pid: process.pid, kill: alive, now: Date.now, later, ...options });
  onTestFinished(() => log.close().catch(() => {}));
  return {
    ...log,
    received(delivery) {
      const [event] = log.append([delivery]);
      if (!event) throw new Error('nothing was recorded');
      return event;
    },
    async *feed() {
      for await (const events of log.read()) yield* events;
    },
  };
}

export function delivery(body: string | Uint8Array = '{}', rest: Partial<Delivery> = {}): Delivery {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { method: 'POST', path: '/', headers: [], remote: '127.0.0.1', port: 4781, ...rest, body: bytes };
}

export interface Listening extends RunningReceiver {
  readonly stateFolder: string;
  readonly log: TestLog;
  readonly warned: readonly string[];
}

/** A receiver on a free port with its own log; closed after the test. */
export async function listening(options: Partial<ReceiverOptions> & { log?: TestLog } = {}): Promise<Listening> {
  const stateFolder = temporary();
  const log = options.log ?? logIn(stateFolder);
  const warned: string[] = [];
  const warn = (text: string) => void warned.push(text);
  const receiver = await startReceiver({ port: 0, now: Date.now, warn, ...options, log });
  onTestFinished(() => receiver.close());
  return { ...receiver, stateFolder, log, warned };
}

/** Returns the first `count` items. */
export async function take<T>(items: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  if (count === 0) return taken;
  for await (const item of items) if (taken.push(item) === count) break;
  return taken;
}
