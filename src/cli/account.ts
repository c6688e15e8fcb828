import type { AccountFacts } from '../ledger/identity.ts';
import type { AnyCaller, Approached, Line } from './approached.ts';

interface Options {
  /** Whether a profile without an account id may get one. A dry run never writes one. */
  readonly write: boolean;
}

/** What tells the account of a call. Undefined for a dry run whose sandbox is not running, since it has no data yet. */
export async function accountFacts(
  line: Line,
  caller: AnyCaller,
  { target, isLocal, running }: Approached,
  { write }: Options,
): Promise<AccountFacts | undefined> {
  const { host, given } = line;
  if (given.dryRun && isLocal && !running) return undefined;
  const [{ originOf }, { environmentAccount }] = await Promise.all([
    import('../session/profiles/base-url.ts'),
    import('../session/profiles/environment.ts'),
  ]);
  const named = environmentAccount(host.env);
  const sandbox = running?.dataId;
  const isNeeded = named === undefined && sandbox === undefined;
  return {
    // localhost and 127.0.0.1 are the same sandbox.
    origin: originOf(running?.url ?? target.baseUrl),
    key: target.key,
    named,
    profile: await profileAccount(line, caller, isNeeded && write && !given.dryRun),
    sandbox,
  };
}

async function profileAccount({ host }: Line, caller: AnyCaller, write: boolean): Promise<string | undefined> {
  // A target without a source is a profile that is not stored yet.
  if (caller.kind === 'local' || !('source' in caller) || caller.profile === undefined) return undefined;
  if (caller.account !== undefined || !write) return caller.account;
  const [{ storedAccount }, { configFolder }] = await Promise.all([
    import('../session/profiles/account.ts'),
    import('../session/profiles/environment.ts'),
  ]);
  return storedAccount(configFolder(host.env, host.home), caller.profile);
}
