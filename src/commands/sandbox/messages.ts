import { usage } from '../../base/errors.ts';
import { type Command, command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, choice, knowing, option, phone } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { messageStatuses } from '../../sandbox/state/records.ts';
import { newestLast, newestOf } from '../newest-last.ts';
import { ask } from './control.ts';
import { storyText } from './lines.ts';

type MessageRow = OutputOf<'messages'>[number];

const described = {
  name: 'messages',
  summary: 'List the messages that the sandbox was sent, or show one',
  details: [
    'With an id: the request that sent it, its receipts, and its events with their deliveries. The sandbox keeps the',
    'last 100,000 messages. Accepted: not delivered yet.',
  ].join('\n'),
  params: {
    id: argument('[id]', 'the id of a message; shows everything about it'),
    to: option('--to <phone>', 'only messages to this number', phone),
    template: knowing({ of: 'templates' }, option('--template <name>', 'only messages of this template')),
    status: choice('--status <status>', 'only messages with this status', messageStatuses),
    ...newestLast,
  },
  examples: [
    'sandbox messages',
    'sandbox messages --status failed -o json',
    'sandbox messages --to +12025550102 --limit 1',
  ],
  sample:
    'sent_at\tto\ttemplate\tstatus\ttext\tid\tparams\tmode\n2026-…\t+12025550103\twelcome\taccepted\tWelcome!…\tmsg_sandbox_5c1f2a9e\t[]\tsandbox\n…',
  accepts: printOptions,
} as const;

const list = command({
  ...described,
  piped: 'rows',
  run: async (context, { to, template, status, limit }) => {
    const rows = await newestOf(context, limit, (most) =>
      ask(context, 'messages', { to, template, status, limit: most }),
    );
    const { stdout } = context.host;
    return stdout.isTTY && context.showsLines ? rows.map((row) => shortRow(row, stdout.columns)) : rows;
  },
  view: () => 'No messages',
});

/** On a terminal the text gets the room of the params, which it contains, and on a narrow one that of the template. */
function shortRow({ sent_at, to, template, status, text, id }: MessageRow, width = 0): object {
  return width < 100 ? { sent_at, to, status, text, id } : { sent_at, to, template, status, text, id };
}

const show = command({
  ...described,
  piped: 'text',
  run: async (context, { id = '', ...filter }) => {
    if (Object.values(filter).some((one) => one !== undefined)) throw usage('an id excludes the other options');
    return ask(context, 'message', { id });
  },
  view: storyText,
});

export const sandboxMessages: Command = {
  ...list,
  run: (context, texts, emit) => (texts['id']?.length ? show : list).run(context, texts, emit),
};
