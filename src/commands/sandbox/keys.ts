import { maskKey } from '../../base/redact.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { choice, flag, required } from '../../cli/params.ts';
import { scopes } from '../../contract/keys.ts';
import { ask } from './control.ts';

export const createSandboxKey = command({
  name: 'create',
  summary: 'Create a sandbox key and print it in full',
  params: {
    scope: choice('--scope <scope>', 'the scope of the key (default: full)', scopes),
    live: flag('--live', 'create a live key; it becomes valid with sandbox keys go-live'),
  },
  examples: ['sandbox keys create', 'sandbox keys create --scope read-only'],
  sample: 'sk_test_local-…',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { scope, live }) => {
    const key = await ask(context, 'createKey', { scope, mode: live ? 'live' : 'sandbox' });
    return { id: key.id, key: key.text, mode: key.mode, scope: key.scope };
  },
  view: ({ key }) => key,
});

export const listSandboxKeys = command({
  name: 'list',
  summary: 'List the sandbox keys (prefix and last four characters)',
  params: {},
  examples: ['sandbox keys list'],
  sample:
    'id\tkey\tmode\tscope\tstate\tcreated_at\nkey_5c1f2a9e0b00000h\tsk_test_…b51c\tsandbox\tfull\tactive\t2026-…\nkey_5c1f2a9e0b00000i\tsk_live_…0e5d\tlive\tfull\tinactive\t2026-…',
  accepts: printOptions,
  piped: 'rows',
  run: async (context) => {
    const keys = await ask(context, 'keys');
    return keys.map(({ id, text, mode, scope, state, createdAt }) => ({
      id,
      key: maskKey(text),
      mode,
      scope,
      state,
      created_at: new Date(createdAt).toISOString(),
    }));
  },
  view: () => 'No keys',
});

export const revokeSandboxKey = command({
  name: 'revoke',
  summary: 'Revoke a sandbox key',
  details: 'From then on, calls with this key get a 401, as after a revocation in the dashboard.',
  params: { id: required('<id>', 'the key id, from sandbox keys list') },
  examples: ['sandbox keys revoke key_7f7c7bf3f500000k'],
  sample: 'Revoked key_5c1f2a9e0b00000k',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { id }) => {
    await ask(context, 'revokeKey', { key: id });
    return { revoked: id };
  },
  view: ({ revoked }, ui) => `${ui.color.green('Revoked')} ${revoked}`,
});

export const goLive = command({
  name: 'go-live',
  summary: 'Activate the live keys of the sandbox; their messages are still simulated',
  params: {},
  examples: ['sandbox keys go-live'],
  sample: 'Live: --profile local --mode live uses the live key',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context) => {
    await ask(context, 'goLive');
    return { live: true };
  },
  view: (_, ui) => `${ui.color.green('Live')}: --profile local --mode live uses the live key`,
});
