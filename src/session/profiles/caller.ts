import { CliError } from '../../base/errors.ts';
import { maskKey } from '../../base/redact.ts';
import type { Session } from '../session.ts';
import { currentCaller, type Source } from './resolve.ts';

/** The caller of the next command as it may be shown, or why there is none. */
export interface CallerReport {
  readonly winner?: ShownCaller;
  readonly problem?: CliError;
}

interface ShownCaller {
  readonly profile: string | null;
  readonly source: Source;
  readonly mode: string;
  /** Null for a sandbox that is not running: it starts on demand. */
  readonly address: string | null;
  readonly key: string | null;
  readonly plan: string | null;
}

export async function describeCaller(session: Session): Promise<CallerReport> {
  try {
    const caller = currentCaller(session);
    const { source, mode } = caller;
    if (caller.kind === 'service') {
      const { profile = null, baseUrl: address, key, plan = null } = caller;
      return { winner: { profile, source, mode, address, key: maskKey(key), plan } };
    }
    const running = (await session.sandboxes()).find();
    const key = running ? maskKey(running.keys[caller.mode]) : null;
    return { winner: { profile: 'local', source, mode, address: running?.url ?? null, key, plan: null } };
  } catch (error) {
    if (error instanceof CliError) return { problem: error };
    throw error;
  }
}
