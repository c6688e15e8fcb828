import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';

export const listRuns = command({
  name: 'list',
  summary: 'List imports and batches on this machine, the newest last',
  params: {},
  examples: ['runs list', 'runs list -o json'],
  sample:
    'id\tstarted_at\tcommand\tfile\tstate\ttemplate\tjob\trows\tsent\tfailed\tunsure\tleft\t…\n3f9a1c20be41\t2026-…\tcontacts import\t…\tfinished\t\t\t2\t2\t0\t0\t0\t…',
  honours: printing,
  piped: 'rows',
  first: ['started_at', 'command', 'file', 'sent', 'failed', 'unsure', 'state', 'id'],
  run: async (context) => {
    const [{ ledgerFolder, runRow, runsOf }, { oldRuns }, { stateFolder, process: own }] = await Promise.all([
      import('../../runs/listing.ts'),
      import('../../cli/old-runs.ts'),
      context.sandboxes(),
    ]);
    refuseUnreadable(ledgerFolder(stateFolder));
    const old = oldRuns(stateFolder).length;
    if (old > 0) context.note('runs-of-old-version', `${old} runs of an earlier version are not listed`);
    return runsOf(stateFolder, own).map(runRow);
  },
  view: () => 'No runs',
});
