import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { argument, flag } from '../../cli/params.ts';
import { usage } from '../../base/errors.ts';
import type { Remaining } from '../../sandbox/deliveries/redeliver.ts';
import { inOurWords } from './refusals.ts';

export const redeliver = command({
  name: 'redeliver',
  summary: 'Deliver an event again at once, or all that failed',
  details: 'Its ten attempts begin anew. An event for which there was no webhook goes to those that are there now.',
  params: {
    id: argument('[id]', 'the id of a delivery, from sandbox deliveries, or of an event for all of its deliveries'),
    failed: flag('--failed', 'every delivery that is dead because ten attempts failed'),
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
    const asked = (await context.sandbox()).redeliver(which);
    const { redelivered, remaining } = await inOurWords(asked, { see: 'sandbox deliveries' });
    if (failed) for (const line of leftOut(remaining)) context.note('not-redelivered', line);
    return { redelivered };
  },
  view: ({ redelivered }, ui) =>
    redelivered === 0 ? 'Nothing to deliver again' : `${ui.color.green('Delivering again')}: ${redelivered}`,
});

function leftOut({ disabled, removed, waiting }: Remaining): readonly string[] {
  return [
    ...told(disabled, 'dead because the webhook is disabled: add it again'),
    ...told(removed, 'dead because the webhook was removed: redeliver the event'),
    ...told(waiting, 'waiting for the next attempt: give the id'),
  ];
}

function told(count: number, how: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? 'is' : 'are'} ${how}`];
}
