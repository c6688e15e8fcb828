import { isLocalKey, type Mode } from '../contract/keys.ts';
import { type CliError, configuration } from '../base/errors.ts';
import type { Env, Host } from '../base/host.ts';
import { onlyLocal, type Target } from './caller.ts';
import { defaultData, liveLocators, type Locator, isHeld, leadsTo } from '../sandbox/remote/locator.ts';
import { isElsewhere } from '../base/liveness.ts';

/** Set for the process that serves the sandbox in the background. */
const inBackground = 'BIZMSG_IN_BACKGROUND';

export function isInBackground(env: Env): boolean {
  return env[inBackground] !== undefined;
}

/** The sandboxes of this machine. */
export interface Sandboxes {
  live(): readonly Locator[];
  /** All sandboxes, but inside `sandbox exec` only its own. */
  visible(): readonly Locator[];
  /** The sandbox at a URL. */
  at(url: string): Locator | undefined;
  /** The sandbox of the profile `local`, if it runs. */
  find(): Locator | undefined;
  /** The sandbox that was started again with the same data, or at the same address if it saves none. */
  again(ended: Locator): Locator | undefined;
  /** The sandbox that commands about a sandbox control: the one of the environment, or that of the profile `local`. */
  controlled(): Promise<Locator>;
  /** Like `find`, but starts it in the background if needed. */
  ensure(words?: readonly string[]): Promise<Locator>;
  /** The target of `local`; a dry run starts nothing. */
  target(mode: Mode, dryRun: boolean): Promise<Target>;
  /** Throws unless the sandbox still answers at its address. */
  proven(locator: Locator): Promise<Locator>;
}

/** Shown by a dry run for a sandbox that is not running. */
const notRunning = {
  url: 'http://127.0.0.1:4780',
  keys: { sandbox: 'sk_test_local-none', live: 'sk_live_local-none' },
};

export function openSandboxes(host: Host, stateFolder: string): Sandboxes {
  const named = execSandbox(host.env);
  const live = () => liveLocators(stateFolder, host.kill);
  const defaultSandbox = () => live().find(({ data }) => data === defaultData(stateFolder));
  const at = (url: string) => live().find((locator) => leadsTo(locator, url));
  const own = () => named && at(named.url);
  const find = () => own() ?? (named?.isBound ? undefined : defaultSandbox());
  const refuseUnreachable = async (running: Locator) => {
    if (isElsewhere(running.start)) await (await import('../sandbox/remote/start.ts')).refuseUnreachable(running);
  };
  const ensure = async (words: readonly string[] = []) => {
    const running = find();
    if (!running && named?.isBound) throw sandboxEnded(named.url);
    if (running) await refuseUnreachable(running);
    if (running?.build === __BUILD__ || running?.background === false) return running;
    const { findOrStart } = await import('../sandbox/remote/start.ts');
    const command = [...host.self, 'sandbox', 'start', '--background', ...words];
    return findOrStart({
      stateFolder,
      host: { ...host, env: { ...withoutSecrets(host), BIZMSG_STATE_DIR: stateFolder, [inBackground]: '1' } },
      command,
      build: __BUILD__,
    });
  };
  const controlled = async () => {
    const url = environmentSandbox(host.env);
    const running = url === undefined ? undefined : at(url);
    if (url !== undefined && !running) throw sandboxEnded(url);
    if (!running || running.data === defaultData(stateFolder)) return ensure();
    await refuseUnreachable(running);
    return running;
  };
  const proven = async (locator: Locator) => {
    if (!isHeld(locator)) await (await import('../sandbox/remote/proof.ts')).requireProof(stateFolder, locator);
    return locator;
  };
  return {
    live,
    at,
    proven,
    visible: () => {
      const one = own();
      return one ? [one] : named?.isBound ? [] : live();
    },
    find,
    again: ({ url, data }) => (data === null ? at(url) : live().find((locator) => locator.data === data)),
    controlled,
    ensure,
    target: async (mode, dryRun) => {
      const { url, keys } = dryRun ? (find() ?? notRunning) : await proven(await ensure());
      return { kind: 'service', baseUrl: url, key: keys[mode], mode };
    },
  };
}

interface ExecSandbox {
  readonly url: string;
  /** Whether its key is set too: no other sandbox can replace it. */
  readonly isBound: boolean;
}

/** The sandbox that `sandbox exec` sets for its command. */
function execSandbox(env: Env): ExecSandbox | undefined {
  const { BIZMSG_BASE_URL: url } = env;
  if (!onlyLocal(env) || url === undefined || !URL.canParse(url)) return undefined;
  return { url, isBound: environmentSandbox(env) !== undefined };
}

/** The URL of the sandbox whose key the environment has, as `sandbox env` prints it. */
function environmentSandbox({ BIZMSG_BASE_URL: url, BIZMSG_API_KEY: key }: Env): string | undefined {
  return url !== undefined && URL.canParse(url) && key !== undefined && isLocalKey(key) ? url : undefined;
}

function sandboxEnded(url: string): CliError {
  const hint =
    'start it again with bizmsg sandbox start, or unset BIZMSG_BASE_URL and BIZMSG_API_KEY to use another sandbox';
  return configuration(
    'sandbox-ended',
    `the sandbox at ${url}, which BIZMSG_BASE_URL names, has ended, or was started with another HOME or BIZMSG_STATE_DIR`,
    hint,
  );
}

/** The environment for a background process, without keys. */
function withoutSecrets({ env }: Host): Host['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('BIZMSG_')));
}
