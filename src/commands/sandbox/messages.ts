import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, chosen } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { messageStatuses } from '../../sandbox/state/records.ts';
import { listCommand } from '../list.ts';
import { ask, sandboxLog } from './control.ts';
import { storyText } from './lines.ts';

const id = argument('[id]', 'the id of a message; shows everything about it');
const about = {
  name: 'messages',
  summary: 'List the messages that the sandbox was sent, or show one',
  examples: ['sandbox messages', 'sandbox messages --type failed --limit 1'],
  sample:
    'sent_at\tto\ttemplate\tstatus\ttext\tid\tparams\tmode\n2026-…\t+12025550103\twelcome\taccepted\tWelcome!…\tmsg_sandbox_5c1f2a9e\t[]\tsandbox\n…',
} as const;

const show = command({
  ...about,
  params: { id },
  accepts: printOptions,
  piped: 'text',
  run: (context, { id = '' }) => ask(context, 'message', { id }),
  view: storyText,
});

export const sandboxMessages = listCommand({
  ...about,
  details: [
    'With an id: the request that sent it, its receipts, and its events with their deliveries. The sandbox keeps the',
    'last 100,000 messages. Accepted: not delivered yet.',
  ].join('\n'),
  noun: 'messages',
  type: {
    word: 'statuses',
    text: `only messages with these statuses: ${messageStatuses.join(', ')}`,
    known: messageStatuses,
    check: (word) => void chosen(word, messageStatuses),
  },
  params: { id },
  instead: { id: show },
  first: ['sent_at', 'to', 'status', 'text', 'id', 'template'],
  open: (context) => sandboxLog(context, 'messages', (sandbox, part) => sandbox.ask('messages', part)),
  entryOf: (row: OutputOf<'messages'>[number]) => ({
    at: Date.parse(row.sent_at),
    types: [row.status],
    row: { ...row },
  }),
  empty: 'No messages',
});
