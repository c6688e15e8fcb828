import type { Later } from '../../src/base/host.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type EventJournal, type EventJournalOptions, openEventJournal } from '../../src/webhooks/log/log.ts';
import type { Delivery } from '../../src/webhooks/log/records.ts';
import { type ReceiverOptions, type RunningReceiver, startReceiver } from '../../src/webhooks/receive/server.ts';
import { alive } from '../support/cli.ts';

export const later: Later = (milliseconds, run) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};

/** A folder that is gone when the test is. */
export function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-events-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The journal of a listener in this process. */
export function journalIn(stateFolder: string, options: Partial<EventJournalOptions> = {}): EventJournal {
  const journal = openEventJournal({ stateFolder, pid: process.pid, kill: alive, now: Date.now, later, ...options });
  onTestFinished(() => journal.close().catch(() => {}));
  return journal;
}

export function delivery(body: string | Uint8Array = '{}', rest: Partial<Delivery> = {}): Delivery {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return { method: 'POST', path: '/', headers: [], remote: '127.0.0.1', port: 4781, ...rest, body: bytes };
}

export interface Listening extends RunningReceiver {
  readonly stateFolder: string;
  readonly journal: EventJournal;
  readonly warned: readonly string[];
}

/** A receiver on a free port with a journal of its own, for as long as the test runs. */
export async function listening(options: Partial<ReceiverOptions> = {}): Promise<Listening> {
  const stateFolder = temporary();
  const journal = options.journal ?? journalIn(stateFolder);
  const warned: string[] = [];
  const warn = (text: string) => void warned.push(text);
  const receiver = await startReceiver({ port: 0, now: Date.now, warn, ...options, journal });
  onTestFinished(() => receiver.close());
  return { ...receiver, stateFolder, journal, warned };
}

/** The first so many of what goes on. */
export async function take<T>(items: AsyncIterable<T>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  if (count === 0) return taken;
  for await (const item of items) if (taken.push(item) === count) break;
  return taken;
}
