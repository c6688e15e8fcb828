import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { shownKey } from '../../../base/redact.ts';

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
      key: shownKey(String(text)),
      mode,
      scope,
      state,
      created_at: new Date(Number(createdAt)).toISOString(),
    }));
  },
  view: () => 'No keys',
});
