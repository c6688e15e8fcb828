import { sleep } from '../../base/sleep.ts';
import type { Context } from '../../cli/command.ts';
import type { Past } from '../../logs/forwards.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import type { History } from '../../webhooks/history.ts';
import { pollInterval, type Source } from '../list.ts';

/** Opens the events of all listeners; undefined if nothing was ever recorded. */
export async function openHistory(context: Context): Promise<History | undefined> {
  const { host, note, stateFolder } = context;
  const { openRecorded } = await import('../../logs/database.ts');
  const logs = await openRecorded(stateFolder(), { host, signal: host.signal, note: (text) => note('logs', text) });
  return logs && { logs, live: await runningListeners(context) };
}

/** Passes the events of all listeners to a function, and closes them afterwards. */
export async function withHistory<T>(context: Context, use: (history: History | undefined) => Promise<T>): Promise<T> {
  const history = await openHistory(context);
  try {
    return await use(history);
  } finally {
    await history?.logs.close();
  }
}

export interface RecordedEvent {
  readonly past: Past;
  readonly event: WebhookEvent;
}

/** The events of all listeners, to list them. */
export async function recordedEvents(context: Context): Promise<Source<RecordedEvent>> {
  const { signal, later } = context.host;
  const [{ eventsAfter }, { newestRecords, withForwards }, { eventOf }, { newestFirst }] = await Promise.all([
    import('../../logs/events.ts'),
    import('../../logs/forwards.ts'),
    import('../../webhooks/event/event.ts'),
    import('../../webhooks/history.ts'),
  ]);
  let history = await openHistory(context);
  const parsed = (past: Past): RecordedEvent => ({ past, event: eventOf(past.event) });
  return {
    end: async () => (history ? (await history.logs.read(newestRecords)).event : 0),
    async *before(cursor) {
      for await (const past of newestFirst(history, cursor + 1)) yield parsed(past);
    },
    async after(cursor) {
      while (!signal.aborted) {
        history ??= await openHistory(context);
        const found = history ? await history.logs.read(withForwards(eventsAfter(cursor), history.live)) : [];
        const last = found.at(-1);
        if (last) return { records: found.map(parsed), cursor: last.event.number };
        await sleep(pollInterval, later, signal);
      }
      return { records: [], cursor };
    },
    close: async () => history?.logs.close(),
  };
}

/** The ids of the listeners that run. */
async function runningListeners({ host, stateFolder }: Context): Promise<readonly string[]> {
  const { liveListeners } = await import('../../webhooks/listeners.ts');
  return liveListeners(stateFolder(), host.kill).map(({ id }) => id);
}
