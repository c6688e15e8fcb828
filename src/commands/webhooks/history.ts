import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import { listCommand } from '../list.ts';
import { recordedEvents } from './event-source.ts';
import { entryOf, eventSelection } from './selection.ts';

const params = {
  clear: flag('--clear', 'delete the events of listeners that have ended, after asking'),
  damaged: flag('--damaged', 'with --clear: delete damaged files too'),
} as const;
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
    'id\treceived_at\tname\tmessage_id\trecipient\treason\tanswered\tabout\ne1fq8zk3m00\t2026-…\tmessage.read\tmsg_…\t+12025550101\t\t200\t\n…',
} as const;

const clearHistory = command({
  ...about,
  params,
  accepts: printOptions,
  piped: 'text',
  changes: true,
  run: async (context, { clear, damaged }) => {
    if (!clear) throw usage('--damaged needs --clear');
    const { clearableEvents, clearEvents } = await import('../../webhooks/log/files.ts');
    const { kill, now } = context.host;
    const found = clearableEvents(context.stateFolder(), { kill, now: now(), damaged });
    const { length } = found.paths;
    if (length > 0) await context.confirm(`Delete ${length === 1 ? '1 file' : `${length} files`} of recorded events?`);
    return clearEvents(found);
  },
  view: ({ removed, kept, damaged }, ui) => {
    const live = kept === 0 ? '' : `; kept because their listeners are running: ${kept}`;
    const broken = damaged === 0 ? '' : `; kept because they are damaged: ${damaged} (--damaged deletes them too)`;
    return `${removed === 0 ? 'Nothing to delete' : `${ui.color.green('Deleted')} files: ${removed}`}${live}${broken}`;
  },
});

export const webhooksHistory = listCommand({
  ...about,
  ...eventSelection,
  details: 'Events are kept for a week, up to 256 MiB. This works without a running listener.',
  noun: 'events',
  params,
  instead: { clear: clearHistory, damaged: clearHistory },
  first: ['id', 'received_at', 'name', 'recipient', 'answered', 'about'],
  open: recordedEvents,
  entryOf,
  empty: 'No events yet: bizmsg webhooks listen receives them',
});
