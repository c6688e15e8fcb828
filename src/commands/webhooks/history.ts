import { command } from '../../cli/command.ts';
import type { Context } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag, option } from '../../cli/params.ts';
import type { Input } from '../../cli/params.ts';
import { count } from '../../cli/values.ts';
import { usage } from '../../errors.ts';
import { isRows } from '../../terminal/rows.ts';
import { sayingDamage } from './damage.ts';
import { select, selectionParams } from './selection.ts';
import type { Selected } from './selection.ts';

const params = {
  limit: option('--limit <n>', 'no more than the n newest (50)', count),
  ...selectionParams,
  clear: flag('--clear', 'remove what listeners that have ended received'),
} as const;

export const webhooksHistory = command({
  name: 'history',
  summary: 'List the events that listeners received on this machine, the newest first',
  details: 'They are kept for a week. Nobody is called, and no listener has to run.',
  params,
  examples: ['webhooks history', 'webhooks history --since 10m --failed', 'webhooks history --events message -o json'],
  sample:
    'id\treceived_at\tname\tmessage_id\trecipient\treason\tanswered\ne1fq8zk3m00\t2026-…\tmessage.read\tmsg_…\t+12025550101\t\t200',
  honours: [...printing],
  piped: 'rows',
  run: async (context, input) => (input.clear ? cleared(context, input) : listed(context, input)),
  pipedAs: (result) => ('removed' in result ? 'text' : 'rows'),
  changes: (result) => 'removed' in result,
  view: (result, ui) => {
    if (isRows(result)) return 'No events: bizmsg webhooks listen receives them';
    const { removed, kept } = result;
    const live = kept === 0 ? '' : `; kept, since their listeners live: ${kept}`;
    return removed === 0 ? `Nothing to remove${live}` : `${ui.color.green('Removed')} files: ${removed}${live}`;
  },
});

async function listed(context: Context, { limit = 50, ...which }: Input<typeof params>) {
  const {
    stateFolder,
    process: { now },
  } = await context.sandboxes();
  const rows = [];
  for (const selected of await select({ stateFolder, now: now(), onDamage: await sayingDamage(context) }, which)) {
    if (rows.length === limit) break;
    rows.push(rowOf(selected));
  }
  return rows;
}

async function cleared(context: Context, { limit, since, events, where, failed }: Input<typeof params>) {
  if (failed || where.length > 0 || [limit, since, events].some((one) => one !== undefined))
    throw usage('--clear excludes the other options', 'whole files are removed');
  const [
    { clearEvents },
    {
      stateFolder,
      process: { kill },
    },
  ] = await Promise.all([import('../../webhooks/clear-events.ts'), context.sandboxes()]);
  return clearEvents(stateFolder, kill);
}

function rowOf({ past: { event, forwards }, event: { name, message_id, recipient, reason } }: Selected) {
  const [last] = forwards;
  return {
    id: event.id,
    received_at: new Date(event.received_at).toISOString(),
    name: name ?? null,
    message_id: message_id ?? null,
    recipient: recipient ?? null,
    reason: reason ?? null,
    answered: last?.error ?? last?.status ?? null,
  };
}
