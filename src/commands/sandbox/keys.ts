import { maskKey } from '../../base/redact.ts';
import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { choice, flag, required } from '../../cli/params.ts';
import { scopes } from '../../contract/keys.ts';
import { inOurWords } from './control-errors.ts';

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

export const listSandboxKeys = command({
  name: 'list',
  summary: 'List the keys of the sandbox, by prefix and last four',
  params: {},
  examples: ['sandbox keys list'],
  sample:
    'id\tkey\tmode\tscope\tstate\tcreated_at\nkey_5c1f2a9e0b00000h\tsk_test_…b51c\tsandbox\tfull\tactive\t2026-…\nkey_5c1f2a9e0b00000i\tsk_live_…0e5d\tlive\tfull\tinactive\t2026-…',
  honours: [...printing],
  piped: 'rows',
  run: async (context) => {
    const keys = await (await context.sandbox()).keys();
    return keys.map(({ id, text, mode, scope, state, createdAt }) => ({
      id,
      key: maskKey(String(text)),
      mode,
      scope,
      state,
      created_at: new Date(Number(createdAt)).toISOString(),
    }));
  },
  view: () => 'No keys',
});

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

export const goLive = command({
  name: 'go-live',
  summary: 'Make the live keys of the sandbox valid; what they send is simulated too',
  params: {},
  examples: ['sandbox keys go-live'],
  sample: 'Live: --profile local --mode live uses the live key',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context) => {
    await (await context.sandbox()).goLive();
    return { live: true };
  },
  view: (_, ui) => `${ui.color.green('Live')}: --profile local --mode live uses the live key`,
});
