import { join } from 'node:path';
import { emptyLedger, hasLedger, openFileLedger } from '../ledger/file/file-ledger.ts';
import { type AccountFacts, accountOf } from '../ledger/identity.ts';
import { configFolder, environmentAccount } from './profiles/environment.ts';
import { originOf } from './profiles/fields.ts';
import type { AnyCaller, CheckedTarget, OpenedLedger, Session } from './session.ts';

/** The ledger for what is sent as this caller. A dry run creates none. */
export async function openLedger(session: Session, checkedTarget: CheckedTarget): Promise<OpenedLedger> {
  const { host, given, reporter } = session;
  const facts = await accountFacts(session, checkedTarget);
  const folder = join(session.stateFolder(), 'ledger');
  const open = given.dryRun && !hasLedger(folder) ? emptyLedger : openFileLedger;
  const ledger = open({
    folder,
    owner: { pid: host.pid, kill: host.kill },
    now: host.now,
    later: host.later,
    random: host.random,
    // A sandbox on this machine loses its own data with a power cut.
    isLocal: checkedTarget.simulated,
    signal: host.signal,
    onWait: (holder) => reporter.note('waiting', `waiting for ${holder}, which uses the ledger; it may be stopped`),
    onRepaired: (path, bytes) =>
      reporter.note(
        'ledger-repaired',
        `a crash left ${bytes} bytes of an incomplete line in ${path}; they are removed`,
      ),
  });
  const { baseUrl, key } = checkedTarget.target;
  const account = accountOf(ledger.secret, facts ?? { origin: new URL(baseUrl).origin, key, sandbox: 'not running' });
  return { ledger, account };
}

/**
 * The facts that identify the account of a call. A profile without an account id gets one, but not in a dry run.
 * Undefined for a dry run whose sandbox is not running.
 */
export async function accountFacts(
  session: Session,
  { caller, target, running }: CheckedTarget,
): Promise<AccountFacts | undefined> {
  const { host, given } = session;
  if (given.dryRun && caller.kind === 'local' && !running) return undefined;
  const named = environmentAccount(host.env);
  const sandbox = running?.dataId;
  const isNeeded = named === undefined && sandbox === undefined;
  return {
    // localhost and 127.0.0.1 are the same sandbox.
    origin: originOf(running?.url ?? target.baseUrl),
    key: target.key,
    named,
    profile: await profileAccount(session, caller, isNeeded && !given.dryRun),
    sandbox,
  };
}

async function profileAccount({ host }: Session, caller: AnyCaller, write: boolean): Promise<string | undefined> {
  // A target without a source is a profile that is not stored yet.
  if (caller.kind === 'local' || !('source' in caller) || caller.profile === undefined) return undefined;
  if (caller.account !== undefined || !write) return caller.account;
  const { storedAccount } = await import('./profiles/profiles.ts');
  return storedAccount(configFolder(host.env, host.home), caller.profile);
}
