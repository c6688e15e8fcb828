import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';

export const goLive = command({
  name: 'go-live',
  summary: 'Make the live keys of the sandbox valid; what they send is simulated too',
  params: {},
  examples: ['sandbox keys go-live'],
  sample: 'Live: --profile local --mode live uses the live key',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context) => {
    await (await context.sandbox()).goLive();
    return { live: true };
  },
  view: (_, ui) => `${ui.color.green('Live')}: --profile local --mode live uses the live key`,
});
