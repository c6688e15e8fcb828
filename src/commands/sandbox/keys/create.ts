import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { choice, flag } from '../../../cli/params.ts';
import { scopes } from '../../../contract/keys.ts';

export const createSandboxKey = command({
  name: 'create',
  summary: 'Create a key of the sandbox, and print it in full',
  params: {
    scope: choice('--scope <scope>', 'what it may do (full)', scopes),
    live: flag('--live', 'a live key; it is valid after sandbox keys go-live'),
  },
  examples: ['sandbox keys create', 'sandbox keys create --scope read-only'],
  sample: 'sk_test_local-…',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { scope = 'full', live }) => {
    const key = await (await context.sandbox()).createKey(scope, live ? 'live' : 'sandbox');
    return { id: key['id'], key: key['text'], mode: key['mode'], scope: key['scope'] };
  },
  view: ({ key }) => String(key),
});
