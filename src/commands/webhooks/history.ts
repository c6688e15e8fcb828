import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { count, flag, type Input, option } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import { sayingDamage, select, type Selected, selectionParams } from './selection.ts';

const params = {
  limit: option('--limit <n>', 'show at most the n newest (50)', count),
  ...selectionParams,
  clear: flag('--clear', 'remove the events of listeners that have ended, after asking'),
  damaged: flag('--damaged', 'with --clear: remove damaged files too'),
} as const;

export const webhooksHistory = command({
  name: 'history',
  summary: 'List the events that listeners received on this machine, the newest first',
  details: 'They are kept for a week, up to 256 MiB: the oldest make room. No listener has to run.',
  params,
  examples: [
    'webhooks history',
    'webhooks history --since 10m --failed',
    'webhooks history --events message -o json',
    'webhooks history --clear --yes',
  ],
  sample:
    'id\treceived_at\tname\tmessage_id\trecipient\treason\tanswered\tabout\ne1fq8zk3m00\t2026-…\tmessage.read\tmsg_…\t+12025550101\t\t200\t\n…',
  accepts: printOptions,
  piped: 'rows',
  first: ['id', 'received_at', 'name', 'recipient', 'answered', 'about'],
  run: async (context, input) => {
    if (input.clear) return cleared(context, input);
    if (input.damaged) throw usage('--damaged goes with --clear alone');
    return listed(context, input);
  },
  pipedAs: (result) => ('removed' in result ? 'text' : 'rows'),
  changes: (result) => 'removed' in result,
  data: (result) => ('removed' in result ? result : result.rows),
  view: (result, ui) => {
    if ('received' in result) {
      const { received } = result;
      return received === 0
        ? 'No events: bizmsg webhooks listen receives them'
        : `None of the ${received} received fits`;
    }
    const { removed, kept, damaged } = result;
    const live = kept === 0 ? '' : `; kept, since their listeners live: ${kept}`;
    const broken = damaged === 0 ? '' : `; kept, since they are damaged: ${damaged} (--damaged removes them too)`;
    return `${removed === 0 ? 'Nothing to remove' : `${ui.color.green('Removed')} files: ${removed}`}${live}${broken}`;
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
  return { rows, received: rows.length > 0 ? rows.length : await countReceived(stateFolder) };
}

/** Of those that nobody asked for, too: none may have come, or none that fits. */
async function countReceived(stateFolder: string): Promise<number> {
  const { newestFirst } = await import('../../webhooks/log/history.ts');
  let count = 0;
  for (const _ of newestFirst(stateFolder)) count += 1;
  return count;
}

async function cleared(context: Context, { limit, since, events, where, failed, damaged }: Input<typeof params>) {
  if (failed || where.length > 0 || [limit, since, events].some((one) => one !== undefined))
    throw usage('--clear excludes the other options', 'whole files are removed');
  const [
    { clearableEvents, clearEvents },
    {
      stateFolder,
      process: { kill, now },
    },
  ] = await Promise.all([import('../../webhooks/log/files.ts'), context.sandboxes()]);
  const found = clearableEvents(stateFolder, { kill, now: now(), damaged });
  const { length } = found.paths;
  if (length > 0) await context.confirm(`Remove ${length === 1 ? '1 file' : `${length} files`} of recorded events`);
  return clearEvents(found);
}

function rowOf({ past: { event, forwards }, event: { name, message_id, recipient, reason, about } }: Selected) {
  const [last] = forwards;
  return {
    id: event.id,
    received_at: new Date(event.received_at).toISOString(),
    name: name ?? null,
    message_id: message_id ?? null,
    recipient: recipient ?? null,
    reason: reason ?? null,
    answered: last?.error ?? last?.status ?? null,
    about: about ?? null,
  };
}
