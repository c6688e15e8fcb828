import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { required } from '../../cli/params.ts';

export const closeRun = command({
  name: 'close',
  summary: 'Close an unfinished run, so that no command continues it',
  details: 'The rows that it sent stay known. Unfinished runs also close after 7 idle days.',
  params: { id: required('<id>', 'the id of a run, from runs list, or its first characters') },
  examples: ['runs close 3f9a1c20be41'],
  sample: 'Closed run 3f9a1c20be41; 12 rows were not sent',
  honours: printing,
  changes: true,
  piped: 'text',
  run: async (context, { id }) => {
    const [{ closeRun }, { stateFolder, process: own }] = await Promise.all([
      import('../../runs/maintenance.ts'),
      context.sandboxes(),
    ]);
    return closeRun({ stateFolder, own, id });
  },
  view: ({ run, left }) => `Closed run ${run}; ${left === 1 ? '1 row was' : `${left} rows were`} not sent`,
});
