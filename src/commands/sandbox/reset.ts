import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { chosen, knowing, required } from '../../cli/params.ts';
import { counted } from './counted.ts';

const resettable = ['messages', 'contacts', 'logs', 'all'] as const;

export const resetSandbox = command({
  name: 'reset',
  summary: 'Reset what the sandbox holds: its messages, contacts, logs, or all',
  details: [
    'The five contacts of a new sandbox are back; with all also its templates and campaigns.',
    'Keys, plan, webhooks, faults and clock stay as they are. After a reset of messages, contacts or all, nothing',
    'counts as sent to this sandbox: the same import or batch sends all rows again.',
  ].join('\n'),
  params: {
    what: knowing(
      { of: resettable },
      required('<what>', `one of ${resettable.join(', ')}`, (text) => chosen(text, resettable)),
    ),
  },
  examples: ['sandbox reset all', 'sandbox reset messages'],
  sample: 'Reset all: 5 contacts, 7 templates, 3 campaigns, 0 messages, 0 events, …',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { what }) => ({ reset: what, ...(await (await context.sandbox()).reset(what)) }),
  view: ({ reset, ...counts }, ui) => `${ui.color.green('Reset')} ${reset}: ${counted(counts)}`,
});
