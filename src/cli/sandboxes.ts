import type { Mode } from '../contract/keys.ts';
import type { Host } from '../host.ts';
import { stateFolder as folderOf } from '../profiles/folders.ts';
import type { Target } from '../profiles/caller.ts';
import type { Locator } from '../sandbox/locator.ts';
import { findSandbox, liveLocators } from '../sandbox/locator.ts';
import type { Remote } from '../sandbox/remote/remote.ts';

/** The sandboxes of this machine. */
export interface Sandboxes {
  readonly stateFolder: string;
  live(): readonly Locator[];
  /** The one that the profile `local` means, if it runs. */
  find(): Locator | undefined;
  /** The same, started in the background if need be. */
  ensure(words?: readonly string[]): Promise<Locator>;
  /** Where `local` calls; a dry run starts nothing. */
  target(mode: Mode, dryRun: boolean): Promise<Target>;
  remote(locator: Locator): Promise<Remote>;
  /** What a sandbox that runs in this process is known by. */
  readonly process: Pick<Host, 'pid' | 'kill' | 'now'> & { readonly build: string };
}

/** What a dry run shows of a sandbox that is not running. */
const notRunning = {
  url: 'http://127.0.0.1:4780',
  keys: { sandbox: 'sk_test_local-none', live: 'sk_live_local-none' },
};

export function openSandboxes(host: Host): Sandboxes {
  const stateFolder = folderOf(host.env, host.home);
  const find = () => findSandbox(stateFolder, host.kill);
  const ensure = async (words: readonly string[] = []) => {
    const running = find();
    if (running?.build === __BUILD__ || running?.background === false) return running;
    const { findOrStart } = await import('../sandbox/start.ts');
    const command = [...host.self, 'sandbox', 'start', '--on-demand', ...words];
    return findOrStart({
      stateFolder,
      host: { ...host, env: { ...withoutSecrets(host), BIZMSG_STATE_DIR: stateFolder } },
      command,
      build: __BUILD__,
    });
  };
  return {
    stateFolder,
    live: () => liveLocators(stateFolder, host.kill),
    find,
    ensure,
    target: async (mode, dryRun) => {
      const { url, keys } = dryRun ? (find() ?? notRunning) : await ensure();
      return { kind: 'service', baseUrl: url, key: keys[mode], mode };
    },
    process: { pid: host.pid, kill: host.kill, now: host.now, build: __BUILD__ },
    remote: async (locator) => (await import('../sandbox/remote/remote.ts')).openRemote(locator),
  };
}

/** A process that outlives this one has no use for its keys, and another working folder. */
function withoutSecrets({ env }: Host): Host['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('BIZMSG_')));
}
