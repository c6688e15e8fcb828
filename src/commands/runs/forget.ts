import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { flag, option, words } from '../../cli/params.ts';
import { phone } from '../../cli/values.ts';
import { usage } from '../../base/errors.ts';

export const forgetRuns = command({
  name: 'forget',
  summary: 'Forget runs, which permits sending their rows again',
  details: [
    'It asks first; a script needs --yes. It changes nothing at the service. --recipient erases one person from all',
    'runs and single messages; bizmsg activity keeps its log.',
  ].join('\n'),
  params: {
    ids: words('[ids...]', 'the ids of runs, from runs list, or the first characters of each'),
    finished: flag('--finished', 'all finished runs'),
    recipient: option('--recipient <phone>', 'everything that was sent to this phone', phone),
  },
  examples: [
    'runs forget 3f9a1c20be41 --yes',
    'runs forget --finished --yes',
    'runs forget --recipient +12025550101 --yes',
  ],
  sample: 'Forgot run 3f9a1c20be41',
  honours: printing,
  changes: true,
  piped: 'text',
  run: async (context, { ids: given, finished, recipient }) => {
    const ways = [given.length > 0, finished, recipient !== undefined].filter(Boolean).length;
    if (ways !== 1) throw usage('give ids of runs, --finished, or --recipient', 'see bizmsg runs list');
    const [{ forgetRecipient, forgetRuns }, { runNamed, runsOf }, { stateFolder, process: own }] = await Promise.all([
      import('../../runs/maintenance.ts'),
      import('../../runs/listing.ts'),
      context.sandboxes(),
    ]);
    if (recipient !== undefined) {
      await context.confirm(`Forget everything that was sent to ${recipient}, so that it can be sent again?`);
      await forgetRecipient({ stateFolder, own, recipient });
      return { ids: [], recipient };
    }
    const runs = runsOf(stateFolder, own);
    const chosen = finished
      ? runs.filter(({ status }) => status === 'finished')
      : given.map((text) => runNamed(runs, text));
    const ids = [...new Set(chosen.map(({ run }) => run))];
    const which = ids.length === 1 ? `run ${ids[0]}` : `${ids.length} runs`;
    if (ids.length > 0) await context.confirm(`Forget ${which}, so that the same rows can be sent again?`);
    await forgetRuns({ stateFolder, own, ids });
    return { ids, recipient };
  },
  view: ({ ids, recipient }) => {
    if (recipient !== undefined) return `Forgot what was sent to ${recipient}`;
    return ids.length === 0 ? 'No runs' : ids.map((id) => `Forgot run ${id}`).join('\n');
  },
});
