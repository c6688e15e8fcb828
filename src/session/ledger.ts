import { join } from 'node:path';
import { configuration } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { emptyLedger, hasLedger, openFileLedger } from '../ledger/file/file-ledger.ts';
import { type AccountFacts, accountOf } from '../ledger/identity.ts';
import type { Kind } from '../ledger/ledger.ts';
import { environmentAccount } from './profiles/environment.ts';
import { originOf } from './profiles/fields.ts';
import type { CheckedTarget, OpenedLedger, Session } from './session.ts';

/** The ledger for what is sent as this caller. A dry run creates none. */
export async function openLedger(session: Session, checkedTarget: CheckedTarget, kind: Kind): Promise<OpenedLedger> {
  const { host, given, reporter } = session;
  if (kind === 'message') refuseEarlyClock(host, checkedTarget);
  const facts = accountFacts(session, checkedTarget);
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

/** A message that is sent under a clock that is far behind would look forgotten once the clock is right. */
function refuseEarlyClock({ now }: Pick<Host, 'now'>, { target: { mode }, simulated }: CheckedTarget): void {
  if (mode === 'sandbox' || simulated || now() >= Date.parse(__BUILD_DATE__)) return;
  const today = new Date(now()).toISOString().slice(0, 10);
  throw configuration(
    'clock-behind',
    `the clock of this machine is wrong: it says ${today}, and this bizmsg was built on ${__BUILD_DATE__}`,
    'nothing was sent; set the clock, then run the same command again',
  );
}

/** The facts that identify the account of a call. Undefined for a dry run whose sandbox is not running. */
export function accountFacts(
  { host, given }: Pick<Session, 'host' | 'given'>,
  { caller, target, running }: CheckedTarget,
): AccountFacts | undefined {
  if (given.dryRun && caller.kind === 'local' && !running) return undefined;
  return {
    // localhost and 127.0.0.1 are the same sandbox.
    origin: originOf(running?.url ?? target.baseUrl),
    key: target.key,
    named: environmentAccount(host.env),
    profile: 'account' in caller ? caller.account : undefined,
    sandbox: running?.dataId,
  };
}
