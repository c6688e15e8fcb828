import { resumeParams } from '../../batches/options.ts';
import { batchView } from '../../batches/view.ts';
import { command } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { optionalName } from './named.ts';

export const resumeBatch = command({
  name: 'resume',
  summary: 'Send what waits in a batch, without its file',
  details: 'The people and their texts cannot change. Without a name, the only batch that waits goes on.',
  params: { name: optionalName, ...resumeParams },
  examples: ['batches resume autumn --at-most 177', 'batches resume autumn --resend unsure --at-most 2'],
  accepts: callOptions.filter((name) => name !== 'dryRun'),
  run: async (context, options, emit) => {
    const { resume } = await import('../../batches/resume.ts');
    return resume(context, options, emit);
  },
  ...batchView,
});
