import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { argument, flag } from '../../cli/params.ts';
import { usage } from '../../errors.ts';

export const redeliver = command({
  name: 'redeliver',
  summary: 'Deliver an event again, or all that failed, at once',
  details: 'Its attempts begin anew, all ten of them. An event that nobody had heard goes to those who listen now.',
  params: {
    id: argument('[id]', 'of a delivery, from sandbox deliveries, or of an event: then all of its deliveries'),
    failed: flag('--failed', 'all whose ten attempts have failed'),
  },
  examples: ['sandbox redeliver --failed'],
  sample: 'Delivering again: 3',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { id, failed }) => {
    if (id !== undefined && failed) throw usage('an id and --failed exclude each other');
    const which = failed ? 'failed' : id;
    if (which === undefined) throw usage('what is delivered again is missing', 'give an id, or --failed');
    return { redelivered: await (await context.sandbox()).redeliver(which) };
  },
  view: ({ redelivered }, ui) =>
    redelivered === 0 ? 'Nothing has failed' : `${ui.color.green('Delivering again')}: ${redelivered}`,
});
