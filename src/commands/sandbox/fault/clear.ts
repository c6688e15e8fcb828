import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { argument } from '../../../cli/params.ts';
import { inOurWords } from '../refusals.ts';

export const clearFaults = command({
  name: 'clear',
  summary: 'Clear a fault, or all: have the sandbox do right again',
  params: { id: argument('[id]', 'the id of a fault, from sandbox fault list (all)') },
  examples: ['sandbox fault clear'],
  sample: 'Cleared flt_5c1f2a9e0b00000k',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { id }) => ({
    cleared: await inOurWords((await context.sandbox()).clearFaults(id), { see: 'sandbox fault list' }),
  }),
  view: ({ cleared }, ui) =>
    cleared.length === 0 ? 'There was no fault' : `${ui.color.green('Cleared')} ${cleared.join(', ')}`,
});
