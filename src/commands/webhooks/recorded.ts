import type { Context } from '../../cli/command.ts';
import type { Transaction } from '../../base/transaction.ts';
import type { Received } from '../../logs/events.ts';
import type { Past } from '../../logs/forwards.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import type { History } from '../../webhooks/history.ts';
import type { Source } from '../list.ts';
import { loggedSource } from '../logged.ts';

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
  const [{ eventsAfter, eventsBefore }, { withForwards }, { eventOf }, live] = await Promise.all([
    import('../../logs/events.ts'),
    import('../../logs/forwards.ts'),
    import('../../webhooks/event/event.ts'),
    runningListeners(context),
  ]);
  const parsed = (events: Transaction<readonly Received[]>): Transaction<readonly RecordedEvent[]> =>
    function* () {
      const found = yield* withForwards(events, live)();
      return found.map((past) => ({ past, event: eventOf(past.event) }));
    };
  return loggedSource<RecordedEvent>(context, {
    before: (number) => parsed(eventsBefore(number)),
    after: (number) => parsed(eventsAfter(number)),
    numberOf: ({ past }) => past.event.number,
  });
}

/** The ids of the listeners that run. */
async function runningListeners({ host, stateFolder }: Context): Promise<readonly string[]> {
  const { liveListeners } = await import('../../webhooks/listeners.ts');
  return liveListeners(stateFolder(), host.kill).map(({ id }) => id);
}
