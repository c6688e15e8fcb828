import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag, words } from '../../cli/params.ts';
import { usage } from '../../errors.ts';
import { lossOf } from './loss.ts';

export const forgetRun = command({
  name: 'forget',
  summary: 'Forget runs: remove what this machine keeps of them',
  details: [
    'They cannot be resumed any more, and are not recognised when the same is sent again. It asks first',
    'where rows are not sent yet, or where their only copy would be lost. What was sent stays sent.',
  ].join('\n'),
  params: {
    ids: words('[ids...]', 'the ids of runs, from runs list, or how they begin'),
    finished: flag('--finished', 'every run that is finished'),
  },
  examples: ['runs forget 3f9a1c20be --yes', 'runs forget --finished'],
  sample: 'Forgot the run 3f9a1c20be',
  honours: printing,
  changes: true,
  piped: 'text',
  run: async (context, { ids: given, finished }) => {
    if (finished === given.length > 0) throw usage('give ids of runs, or --finished', 'see "bizmsg runs list"');
    const [{ forgetRun, idOf, listRuns, refuseRunning, rowFilesOf }, { clearDraft }, { stateFolder, process: own }] =
      await Promise.all([import('../../bulk/run/runs.ts'), import('../running/memory.ts'), context.sandboxes()]);
    const runs = listRuns(stateFolder, own.kill);
    const ids = finished
      ? runs.filter(({ state }) => state === 'finished').map(({ id }) => id)
      : [...new Set(given.map((one) => idOf(stateFolder, one)))];
    for (const id of ids) refuseRunning(stateFolder, id, own.kill);
    const known = (id: string) => runs.find((run) => run.id === id);
    const losses = ids.flatMap((id) => lossOf(id, known(id), rowFilesOf(stateFolder, id)) ?? []);
    if (losses.length > 0) await context.confirm(`Forget ${losses.join('; ')}`);
    for (const id of ids) forgetRun(stateFolder, id, own, clearDraft);
    return { ids };
  },
  view: ({ ids }) => (ids.length === 0 ? 'No runs' : ids.map((id) => `Forgot the run ${id}`).join('\n')),
});
