import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { required } from '../../../cli/params.ts';
import { inOurWords } from '../refusals.ts';

export const revokeSandboxKey = command({
  name: 'revoke',
  summary: 'Revoke a key of the sandbox, as the dashboard would',
  details: 'Calls with it are answered 401 from then on.',
  params: { id: required('<id>', 'the id of a key, from sandbox keys list') },
  examples: ['sandbox keys revoke key_7f7c7bf3f500000k'],
  sample: 'Revoked key_5c1f2a9e0b00000k',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { id }) => {
    await inOurWords((await context.sandbox()).revokeKey(id), { see: 'sandbox keys list' });
    return { revoked: id };
  },
  view: ({ revoked }, ui) => `${ui.color.green('Revoked')} ${revoked}`,
});
