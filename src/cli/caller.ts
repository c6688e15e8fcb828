import type { Host } from '../base/host.ts';
import type { Asked } from '../session/profiles/resolve.ts';
import type { Globals } from './globals.ts';

/** Whether somebody is there to be asked. */
/** What costs least is looked at first: to know a terminal is to load what a single request has no use for. */
export function isInteractive(host: Host, given: Globals): boolean {
  return !given.noInput && !host.env['CI'] && host.stderr.isTTY && host.stdinIsTerminal;
}

/** What this command line, the environment and the store say of who is calling. */
export async function asked(host: Host, given: Globals): Promise<Asked> {
  const [{ configFolder }, { readStore }] = await Promise.all([
    import('../session/profiles/environment.ts'),
    import('../session/profiles/store.ts'),
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
