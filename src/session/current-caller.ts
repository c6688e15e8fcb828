import type { CliError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { shownKey } from '../base/redact.ts';
import type { Candidate } from './profiles/explain.ts';
import type { Asked, Caller, Source } from './profiles/resolve.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { CallOptions } from './session.ts';

/** Whether the user can be prompted. `stdinIsTerminal` comes last, since it is slow. */
export function isInteractive(host: Host, given: Pick<CallOptions, 'noInput'>): boolean {
  return !given.noInput && !host.env['CI'] && host.stderr.isTTY && host.stdinIsTerminal;
}

/** The inputs that decide who is calling. */
export async function asked(host: Host, given: CallOptions): Promise<Asked> {
  const [{ configFolder }, { readStore }] = await Promise.all([
    import('./profiles/environment.ts'),
    import('./profiles/store.ts'),
  ]);
  const folder = configFolder(host.env, host.home);
  let store: ReturnType<typeof readStore> | undefined;
  return {
    flags: { profile: given.profile, mode: given.mode, baseUrl: given.baseUrl },
    env: host.env,
    get terminal() {
      return isInteractive(host, given);
    },
    loadStore: () => (store ??= readStore(folder)),
  };
}

/** Who the next command would be, as it may be shown. */
export interface Winner {
  readonly profile: string | null;
  readonly source: Source;
  readonly mode: string;
  /** Null for a sandbox that is not running: it starts on demand. */
  readonly address: string | null;
  readonly key: string | null;
  readonly plan: string | null;
}

export interface Who {
  readonly winner: Winner | undefined;
  readonly problem: CliError | undefined;
  readonly candidates: readonly Candidate[];
}

/** Said where a sandbox is used that nobody asked for. */
export const newcomerNote = 'no profile yet, so this is the sandbox on this machine; bizmsg login adds a profile';

export function winnerOf(caller: Caller, sandboxes: Sandboxes): Winner {
  const { source, mode } = caller;
  if (caller.kind === 'local') {
    const running = sandboxes.find();
    const key = running ? shownKey(running.keys[caller.mode]) : null;
    return { profile: 'local', source, mode, address: running?.url ?? null, key, plan: null };
  }
  const { profile = null, baseUrl, key, plan = null } = caller;
  return { profile, source, mode, address: baseUrl, key: shownKey(key), plan };
}
