import { warnOncePerFile } from '../../base/journal-lines.ts';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag, type Input } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import { newestLast, newestOf } from '../newest-last.ts';
import { select, type Selected, selectionParams } from './selection.ts';

const params = {
  ...newestLast,
  ...selectionParams,
  clear: flag('--clear', 'delete the events of listeners that have ended, after asking'),
  damaged: flag('--damaged', 'with --clear: delete damaged files too'),
} as const;

export const webhooksHistory = command({
  name: 'history',
  summary: 'List the events that listeners on this machine received, newest last',
  details: 'Events are kept for a week, up to 256 MiB. This works without a running listener.',
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
    if (input.damaged) throw usage('--damaged needs --clear');
    return listed(context, input);
  },
  pipedAs: (result) => ('removed' in result ? 'text' : 'rows'),
  changes: (result) => 'removed' in result,
  data: (result) => ('removed' in result ? result : result.rows),
  view: (result, ui) => {
    if ('received' in result) {
      const { received } = result;
      return received === 0
        ? 'No events yet: bizmsg webhooks listen receives them'
        : `No matching events (${received} recorded)`;
    }
    const { removed, kept, damaged } = result;
    const live = kept === 0 ? '' : `; kept because their listeners are running: ${kept}`;
    const broken = damaged === 0 ? '' : `; kept because they are damaged: ${damaged} (--damaged deletes them too)`;
    return `${removed === 0 ? 'Nothing to delete' : `${ui.color.green('Deleted')} files: ${removed}`}${live}${broken}`;
  },
});

async function listed(context: Context, { limit, ...which }: Input<typeof params>) {
  const stateFolder = context.stateFolder();
  const newestFirst = await select(
    { stateFolder, now: context.host.now(), onDamage: warnOncePerFile(context, 'journal-damaged') },
    which,
  );
  const rows = await newestOf(context, limit, async (most = Infinity) => {
    const found = [];
    for (const selected of newestFirst) {
      if (found.length === most) break;
      found.push(eventRow(selected));
    }
    return found.reverse();
  });
  if (rows.length === 0) await noteMissingPaths(context, stateFolder, which.where);
  return { rows, received: rows.length > 0 ? rows.length : await countReceived(stateFolder) };
}

/** Events whose paths are compared. */
const compared = 1_000;

async function noteMissingPaths({ note }: Context, stateFolder: string, where: readonly string[]): Promise<void> {
  if (where.length === 0) return;
  const [{ newestFirst }, { eventOf }, { missingPath }] = await Promise.all([
    import('../../webhooks/log/history.ts'),
    import('../../webhooks/event/event.ts'),
    import('../../webhooks/event/filters.ts'),
  ]);
  const bodies = [];
  for (const past of newestFirst(stateFolder)) if (bodies.push(eventOf(past.event).body) === compared) break;
  for (const text of where) {
    const missing = missingPath(text, bodies);
    if (missing !== undefined) note('no-such-path', missing);
  }
}

/** Counts all events, to tell an empty log from a filter without matches. */
async function countReceived(stateFolder: string): Promise<number> {
  const { newestFirst } = await import('../../webhooks/log/history.ts');
  let count = 0;
  for (const _ of newestFirst(stateFolder)) count += 1;
  return count;
}

async function cleared(context: Context, { limit, since, events, where, failed, damaged }: Input<typeof params>) {
  if (failed || where.length > 0 || [limit, since, events].some((one) => one !== undefined))
    throw usage('--clear cannot be combined with other options', 'it deletes whole files');
  const { clearableEvents, clearEvents } = await import('../../webhooks/log/files.ts');
  const { kill, now } = context.host;
  const found = clearableEvents(context.stateFolder(), { kill, now: now(), damaged });
  const { length } = found.paths;
  if (length > 0) await context.confirm(`Delete ${length === 1 ? '1 file' : `${length} files`} of recorded events?`);
  return clearEvents(found);
}

/** A received event as a row. */
export function eventRow({
  past: { event, forwards },
  event: { name, message_id, recipient, reason, about },
}: Selected) {
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
