import type { CliError } from '../base/errors.ts';
import type { Caller, Source } from '../session/profiles/resolve.ts';
import type { Candidate } from '../session/profiles/explain.ts';
import { shownKey } from '../base/redact.ts';
import type { Sandboxes } from './sandboxes.ts';

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
