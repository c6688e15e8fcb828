import type { Host } from '../host.ts';
import type { Asked } from '../profiles/caller.ts';
import type { Globals } from './globals.ts';

/** Whether somebody is there to be asked. */
export function isInteractive({ stdinIsTerminal, stderr, env }: Host, given: Globals): boolean {
  return stdinIsTerminal && stderr.isTTY && !env['CI'] && !given.noInput;
}

/** What this command line, the environment and the store say of who is calling. */
export async function asked(host: Host, given: Globals): Promise<Asked> {
  const [{ configFolder }, { readStore }] = await Promise.all([
    import('../profiles/folders.ts'),
    import('../profiles/store.ts'),
  ]);
  const folder = configFolder(host.env, host.home);
  let store: ReturnType<typeof readStore> | undefined;
  return {
    flags: { profile: given.profile, mode: given.mode, baseUrl: given.baseUrl },
    env: host.env,
    // Looking at stdin loads what a single request has no use for.
    get terminal() {
      return isInteractive(host, given);
    },
    loadStore: () => (store ??= readStore(folder)),
  };
}
