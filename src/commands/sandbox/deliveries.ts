import { type Command, command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { argument, flag, option } from '../../cli/params.ts';
import { count } from '../../cli/values.ts';
import { usage } from '../../base/errors.ts';
import { deliveryText } from './delivery-text.ts';
import { inOurWords } from './refusals.ts';

const described = {
  name: 'deliveries',
  summary: 'List the deliveries of events to webhooks, or show one with its attempts',
  params: {
    id: argument('[id]', 'the id of a delivery, or of an event: shows every attempt, as sent and answered'),
    failed: flag('--failed', 'only dead ones: ten attempts failed, or the webhook gets nothing more'),
    waiting: flag('--waiting', 'only those that wait for an attempt, the first or another'),
    queued: flag('--queued', 'only events that came while nobody listened'),
    limit: option('--limit <n>', 'show at most the n newest (all)', count),
  },
  examples: ['sandbox deliveries', 'sandbox deliveries --failed --waiting -o json'],
  sample:
    'id\tevent\ttype\turl\tstate\tattempts\tlast\tnext_at\ndlv_…\tevt_…\tmessage.failed\thttp://127.0.0.1:3000/hooks\twaiting\t1\t503\t2026-…',
  honours: [...printing],
} as const;

const all = command({
  ...described,
  piped: 'rows',
  first: ['id', 'type', 'state', 'attempts', 'last'],
  run: async (context, { failed, waiting, queued, limit }) => {
    const states = [
      ...(failed ? (['dead'] as const) : []),
      ...(waiting ? (['waiting'] as const) : []),
      ...(queued ? (['queued'] as const) : []),
    ];
    return (await context.sandbox()).deliveries({ states: states.length > 0 ? states : undefined, limit });
  },
  view: () => 'No deliveries',
});

const one = command({
  ...described,
  piped: 'text',
  run: async (context, { id = '', failed, waiting, queued, limit }) => {
    if (failed || waiting || queued || limit !== undefined) throw usage('an id excludes the other options');
    const deliveries = await inOurWords((await context.sandbox()).delivery(id), { see: 'sandbox deliveries' });
    return { deliveries };
  },
  view: ({ deliveries }) => deliveries.map(deliveryText).join('\n\n'),
});

export const sandboxDeliveries: Command = {
  ...all,
  run: (context, texts, emit) => (texts['id']?.length ? one : all).run(context, texts, emit),
};
