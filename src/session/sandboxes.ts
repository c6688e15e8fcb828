import { type CliError, configuration } from '../base/errors.ts';
import type { Env, Host } from '../base/host.ts';
import { isLocalKey } from '../contract/keys.ts';
import { defaultData, leadsTo, type Locator } from '../sandbox/remote/locator.ts';
import { onlyLocal } from './caller.ts';

/** Set for the process that serves the sandbox in the background. */
const inBackground = 'BIZMSG_IN_BACKGROUND';

export function isInBackground(env: Env): boolean {
  return env[inBackground] !== undefined;
}

export type Sandboxes = ReturnType<typeof openSandboxes>;

/** The running sandboxes of this machine. */
export function openSandboxes(host: Host, stateFolder: string, note: (text: string) => void) {
  const all = async (isWanted?: (locator: Locator) => boolean) =>
    (await import('../sandbox/remote/running.ts')).findRunning(stateFolder, isWanted);
  const at = async (url: string) => (await all((locator) => leadsTo(locator, url)))[0];
  const withData = async (wanted: string) => (await all(({ data }) => data === wanted))[0];
  const find = () => withData(defaultData(stateFolder));
  const named = environmentSandbox(host.env);
  /** Like `find`, but starts it in the background if needed. */
  const ensure = async (words: readonly string[] = []) => {
    const running = await find();
    if (running && (running.build === __BUILD__ || !running.background)) return running;
    // In `sandbox exec`, another sandbox must not take its place.
    if (named !== undefined && onlyLocal(host.env)) throw sandboxEnded(named);
    const { findOrStart } = await import('../sandbox/remote/start.ts');
    return findOrStart({
      stateFolder,
      host: { ...host, env: { ...withoutOwn(host.env), BIZMSG_STATE_DIR: stateFolder, [inBackground]: '1' } },
      command: [...host.self, 'sandbox', 'start', '--background', ...words],
      build: __BUILD__,
      note,
    });
  };
  return {
    all: () => all(),
    /** The sandbox at a URL. */
    at,
    /** The sandbox of the profile `local`. */
    find,
    /** The sandbox that was started again with the same data, or at the same address if it saves none. */
    again: ({ url, data }: Locator) => (data === null ? at(url) : withData(data)),
    ensure,
    /** The sandbox that commands about a sandbox control: the one of the environment, or that of the profile `local`. */
    async controlled() {
      if (named === undefined) return ensure();
      const running = await at(named);
      if (!running) throw sandboxEnded(named);
      return running;
    },
  };
}

/** The URL of the sandbox whose key the environment has, as `sandbox env` and `sandbox exec` set it. */
function environmentSandbox({ BIZMSG_BASE_URL: url, BIZMSG_API_KEY: key }: Env): string | undefined {
  return url !== undefined && URL.canParse(url) && key !== undefined && isLocalKey(key) ? url : undefined;
}

function sandboxEnded(url: string): CliError {
  return configuration(
    'sandbox-ended',
    `the sandbox at ${url}, which BIZMSG_BASE_URL names, has ended, or was started with another HOME or BIZMSG_STATE_DIR`,
    'start it again with bizmsg sandbox start, or unset BIZMSG_BASE_URL and BIZMSG_API_KEY to use another sandbox',
  );
}

/** Without keys. */
function withoutOwn(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('BIZMSG_')));
}
