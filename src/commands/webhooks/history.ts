import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag } from '../../cli/params.ts';
import { counted, whole } from '../../cli/output/figures.ts';
import type { History } from '../../webhooks/history.ts';
import { listCommand } from '../list.ts';
import { recordedEvents, withHistory } from './recorded.ts';
import { entryOf, eventSelection } from './selection.ts';

const params = { clear: flag('--clear', 'delete all recorded events, after asking') } as const;
const about = {
  name: 'history',
  summary: 'List the events that listeners on this machine received, newest last',
  examples: [
    'webhooks history',
    'webhooks history --since 10m --failed',
    'webhooks history --type message -o json',
    'webhooks history --clear --yes',
  ],
  sample:
    'id\treceived_at\tname\tmessage_id\tphone\treason\tanswered\tabout\ne12\t2026-…\tmessage.read\tmsg_…\t+12025550101\t\t200\t\n…',
} as const;

const clearHistory = command({
  ...about,
  params,
  accepts: printOptions,
  piped: 'text',
  changes: true,
  run: (context) => withHistory(context, (history) => cleared(context, history)),
  view: ({ removed }, ui) =>
    removed === 0 ? 'Nothing to delete' : `${ui.color.green('Deleted')} events: ${whole(removed)}`,
});

async function cleared({ confirm }: Context, history: History | undefined) {
  const [{ countEvents, deleteUpTo }, { newestRecords }] = await Promise.all([
    import('../../logs/events.ts'),
    import('../../logs/forwards.ts'),
  ]);
  const count = history ? await history.logs.read(countEvents) : 0;
  if (!history || count === 0) return { removed: 0 };
  await confirm(`Delete ${counted(count, 'recorded event')}?`);
  const { event: last } = await history.logs.read(newestRecords);
  let removed = 0;
  for (let some = Infinity; some > 0; removed += some) some = await history.logs.write(deleteUpTo(last));
  return { removed };
}

export const webhooksHistory = listCommand({
  ...about,
  ...eventSelection,
  details: 'Events are kept for a week, up to 256 MiB. This works without a running listener.',
  noun: 'events',
  params,
  instead: { clear: clearHistory },
  first: ['id', 'received_at', 'name', 'phone', 'answered', 'about'],
  open: recordedEvents,
  entryOf,
  empty: 'No events yet: bizmsg webhooks listen receives them',
});
