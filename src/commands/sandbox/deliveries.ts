import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { argument, flag, option } from '../../cli/params.ts';
import { count } from '../../cli/values.ts';
import { usage } from '../../errors.ts';
import { isRows } from '../../terminal/rows.ts';
import { deliveryText } from './delivery-text.ts';

export const sandboxDeliveries = command({
  name: 'deliveries',
  summary: 'Show how events came to webhooks, or one delivery with its attempts',
  params: {
    id: argument('[id]', 'of a delivery or an event: every attempt, as it was sent and answered'),
    failed: flag('--failed', 'those whose attempts have all failed, or whose webhook is gone'),
    waiting: flag('--waiting', 'those that have yet to be attempted, or attempted again'),
    queued: flag('--queued', 'the events that came while nobody listened'),
    limit: option('--limit <n>', 'only the last n', count),
  },
  examples: ['sandbox deliveries', 'sandbox deliveries --failed --waiting -o json'],
  sample:
    'id\tevent\ttype\turl\tstate\tattempts\tlast\tnext_at\ndlv_…\tevt_…\tmessage.read\thttp://127.0.0.1:3000/hooks\twaiting\t1\t503\t2026-…',
  honours: [...printing],
  piped: 'rows',
  run: async (context, { id, failed, waiting, queued, limit }) => {
    const states = [
      ...(failed ? (['dead'] as const) : []),
      ...(waiting ? (['waiting'] as const) : []),
      ...(queued ? (['queued'] as const) : []),
    ];
    if (id !== undefined && (states.length > 0 || limit !== undefined)) throw usage('an id excludes the other options');
    const sandbox = await context.sandbox();
    if (id !== undefined) return { deliveries: await sandbox.delivery(id) };
    return sandbox.deliveries({ states: states.length > 0 ? states : undefined, limit });
  },
  view: (result) => {
    if (isRows(result)) return 'No deliveries';
    return 'deliveries' in result ? result.deliveries.map(deliveryText).join('\n\n') : '';
  },
});
