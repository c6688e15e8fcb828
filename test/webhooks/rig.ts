import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { openLogs } from '../../src/logs/database.ts';
import { type Delivery, eventsAfter, eventWith, type Received, recordEvents } from '../../src/logs/events.ts';
import { type Attempt, recordForward } from '../../src/logs/forwards.ts';
import { type ListenOptions, openListener, type Printed } from '../../src/webhooks/listen.ts';
import { later } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';

/** This machine, as listeners use it. */
export const machine = {
  later,
  now: Date.now,
  random: Math.random,
  sqlite: loadSqlite,
  steady: () => performance.now(),
};

/** The logs in a state folder, as a listener writes them. */
export async function logsIn(stateFolder: string, now: () => number = Date.now) {
  const logs = await openLogs(stateFolder, { host: machine, note() {} });
  onTestFinished(() => logs.close());
  return {
    logs,
    /** Records one delivery. */
    async received(delivery: Delivery, forwardTo?: string): Promise<Received> {
      const number = await logs.write(recordEvents([{ delivery, at: now(), forwardTo }], 0));
      const [event] = await logs.read(eventWith(number));
      if (!event) throw new Error('nothing was recorded');
      return event;
    },
    /** Records that an event was forwarded. */
    forwarded: ({ event, ...attempt }: Attempt & { readonly event: string }) =>
      logs.write(recordForward(Number(event.slice(1)), now(), attempt)),
    /** All events, oldest first. */
    async all(): Promise<readonly Received[]> {
      const all: Received[] = [];
      for (let page = await logs.read(eventsAfter(0)); page.length > 0;) {
        all.push(...page);
        page = await logs.read(eventsAfter(all.at(-1)?.number ?? 0));
      }
      return all;
    },
  };
}

export function delivery(body: string | Uint8Array = '{}', rest: Partial<Delivery> = {}): Delivery {
  const usual = { method: 'POST', path: '/', headers: [], remote: '127.0.0.1', port: 4781 };
  return { ...usual, ...rest, body: Buffer.from(body) };
}

export type TestListener = Awaited<ReturnType<typeof listening>>;

/** A listener in this process for as long as the test runs. */
export async function listening(options: Partial<ListenOptions> = {}) {
  const { stateFolder = newHome() } = options;
  const warned: string[] = [];
  const defaults = {
    machine,
    port: 0,
    filter: () => true,
    secrets: () => [],
    warn: (text: string) => void warned.push(text),
  };
  const listener = await openListener({ ...defaults, stateFolder, ...options });
  onTestFinished(() => listener.close());
  const { url, port } = listener;
  const pages = listener.printed();
  return {
    listener,
    url,
    port,
    stateFolder,
    warned,
    /** The recorded events, oldest first. */
    recorded: async () => (await logsIn(stateFolder)).all(),
    /** Delivers an event; returns the status. */
    send: async (body: string, headers: Record<string, string> = {}) =>
      (await fetch(url, { method: 'POST', body, headers })).status,
    /** The next things that are printed: at least this many, unless it ends. */
    async printed(count: number): Promise<readonly Printed[]> {
      const all: Printed[] = [];
      while (all.length < count) {
        const page = await pages.next();
        if (page.done) break;
        all.push(...page.value);
      }
      return all;
    },
  };
}
