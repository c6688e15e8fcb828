import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { required } from '../../cli/params.ts';

export const forgetRun = command({
  name: 'forget',
  summary: 'Remove what this machine knows of a run',
  details: 'It can neither be resumed nor noticed when it is run once more. What was sent stays sent.',
  params: { id: required('<id>', 'of a run, from runs list') },
  examples: ['runs forget 3f9a1c20be --yes'],
  sample: 'Forgot the run 3f9a1c20be',
  honours: printing,
  changes: true,
  piped: 'text',
  run: async (context, { id }) => {
    const [{ forgetRun, listRuns }, { stateFolder, process: own }] = await Promise.all([
      import('../../bulk/run/runs.ts'),
      context.sandboxes(),
    ]);
    const run = listRuns(stateFolder, own.kill).find((one) => one.id === id);
    if (run?.state === 'unfinished')
      await context.confirm(`Forget the run ${id}, of which ${run.summary.unsent} rows were not sent`);
    if (run?.state === 'damaged') await context.confirm(`Forget the run ${id}, of which nobody knows what it sent`);
    forgetRun(stateFolder, id, own);
    return { id };
  },
  view: ({ id }) => `Forgot the run ${id}`,
});
