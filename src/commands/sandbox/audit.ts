import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { option } from '../../cli/params.ts';
import { callRow } from './call-row.ts';
import { inOurWords } from './refusals.ts';

export const sandboxAudit = command({
  name: 'audit',
  summary: "List a key's audit log: every call made with it, whatever came of it",
  details: 'The sandbox keeps the last 10,000 calls of all keys together.',
  params: {
    key: option('--key <id>', 'the id of a key, from sandbox keys list (the sandbox key of --profile local)'),
  },
  examples: ['sandbox audit', 'sandbox audit -o json'],
  sample:
    'at\tmethod\tpath\tstatus\tkey\tfault\tdetail\n2026-05-01T…\tGET\t/api/public/contacts\t200\tkey_5c1f2a…\t\t\n…',
  honours: [...printing],
  piped: 'rows',
  run: async (context, { key }) => {
    const calls = await inOurWords((await context.sandbox()).audit(key), { see: 'sandbox keys list' });
    return calls.map(callRow);
  },
  view: () => 'No calls yet',
});
