import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';
import { runRow } from './run-row.ts';

export const listRuns = command({
  name: 'list',
  summary: 'List the runs on this machine: imports and batches',
  params: {},
  examples: ['runs list', 'runs list -o json'],
  sample:
    'id\tstate\tkind\tinput\ttemplate\trows\tdone\tfailed\tunsure\tunsent\t…\n3f9a1c20be\tfinished\timport\tpeople.csv\t\t2\t2\t0\t0\t0\t…',
  honours: printing,
  piped: 'rows',
  run: async (context) => {
    const [{ listRuns }, { runsFolder }, { stateFolder, process: own }] = await Promise.all([
      import('../../bulk/run/runs.ts'),
      import('../../bulk/run/identity.ts'),
      context.sandboxes(),
    ]);
    refuseUnreadable(runsFolder(stateFolder));
    return listRuns(stateFolder, own.kill).map(runRow);
  },
  view: () => 'No runs',
});
