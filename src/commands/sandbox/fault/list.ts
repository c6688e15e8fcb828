import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { faultRow } from './row.ts';

export const listFaults = command({
  name: 'list',
  summary: 'List the faults of the sandbox, and how often each struck',
  params: {},
  examples: ['sandbox fault list', 'sandbox fault list -o json'],
  sample:
    'id\ton\twhat\twhen\trate\tdrawn\tstruck\texpires\nflt_5c1f2a9e0b00000k\tsend-template\tstatus 500\tbefore\t0.1\t42\t5\tnever',
  honours: [...printing],
  piped: 'rows',
  run: async (context) => (await (await context.sandbox()).faults()).map(faultRow),
  view: () => 'No faults',
});
