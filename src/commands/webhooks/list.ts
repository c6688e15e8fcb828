import { sleep } from '../../base/sleep.ts';
import type { Database } from '../../base/transaction.ts';
import { command, type Context } from '../../cli/command.ts';
import { counted, whole } from '../../cli/output/figures.ts';
import { flag } from '../../cli/params.ts';
import { countEvents, deleteUpTo, eventsAfter, newestEvent } from '../../logs/events.ts';
import { type Past, withForwards } from '../../logs/forwards.ts';
import { eventOf } from '../../webhooks/event/event.ts';
import { newestFirst } from '../../webhooks/history.ts';
import { listCommand, pollInterval, type Source } from '../list.ts';
import { entryOf, eventSelection, openRecordedEvents, type RecordedEvent, withRecordedEvents } from './recorded.ts';

const params = { clear: flag('--clear', 'delete all recorded events, after asking') } as const;
const about = {
  name: 'list',
  summary: 'List the events that listeners on this machine received, newest last',
  examples: [
    'webhooks list',
    'webhooks list --since 10m --failed',
    'webhooks list --type message -o json',
    'webhooks list --clear --yes',
  ],
} as const;

const clearEvents = command({
  ...about,
  params,
  changes: true,
  run: (context) => withRecordedEvents(context, (logs) => cleared(context, logs)),
  view: ({ removed }, ui) =>
    removed === 0 ? 'Nothing to delete' : `${ui.color.green('Deleted')} events: ${whole(removed)}`,
});

async function cleared({ confirm }: Context, logs: Database | undefined) {
  const count = logs ? await logs.read(countEvents) : 0;
  if (!logs || count === 0) return { removed: 0 };
  await confirm(`Delete ${counted(count, 'recorded event')}?`);
  const last = await logs.read(newestEvent);
  let removed = 0;
  for (let some = Infinity; some > 0; removed += some) some = await logs.write(deleteUpTo(last));
  return { removed };
}

export const listEvents = listCommand({
  ...about,
  ...eventSelection,
  details: 'Events are kept for a week, up to 256 MiB. This works without a running listener.',
  noun: 'events',
  params,
  instead: { clear: clearEvents },
  first: ['id', 'received_at', 'name', 'phone', 'answered', 'about'],
  open: recordedEvents,
  entryOf,
  empty: 'No events yet: bizmsg webhooks listen receives them',
  noneFailed: 'No such event failed; bizmsg webhooks list shows all',
});

/** The events of all listeners. New ones are found by asking from time to time. */
async function recordedEvents(context: Context): Promise<Source<RecordedEvent>> {
  const { signal, later } = context.host;
  let logs = await openRecordedEvents(context);
  const parsed = (past: Past): RecordedEvent => ({ past, event: eventOf(past.event) });
  return {
    end: async () => (logs ? logs.read(newestEvent) : 0),
    async *before(cursor) {
      for await (const past of newestFirst(logs, cursor + 1)) yield parsed(past);
    },
    async after(cursor) {
      while (!signal.aborted) {
        logs ??= await openRecordedEvents(context);
        const page = (await logs?.read(withForwards(eventsAfter(cursor)))) ?? [];
        const last = page.at(-1);
        if (last) return { records: page.map(parsed), cursor: last.event.number };
        await sleep(pollInterval, later, signal);
      }
      return { records: [], cursor };
    },
    close: async () => logs?.close(),
  };
}
