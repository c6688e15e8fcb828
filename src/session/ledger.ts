import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { configuration } from '../base/errors.ts';
import { namesIn } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import type { AccountFacts } from '../ledger/identity.ts';
import { configFolder, environmentAccount } from './profiles/environment.ts';
import { originOf } from './profiles/fields.ts';
import type { AnyCaller, CheckedTarget, OpenedLedger, Session } from './session.ts';

/** The ledger for what is sent as this caller. A dry run creates none. */
export async function openLedger(session: Session, checkedTarget: CheckedTarget): Promise<OpenedLedger> {
  const { host, given, reporter } = session;
  // `runs list` needs only oldRuns.
  const [{ accountOf }, files] = await Promise.all([
    import('../ledger/identity.ts'),
    import('../ledger/file/file-ledger.ts'),
  ]);
  const stateFolder = session.stateFolder();
  refuseOldRuns(stateFolder);
  if (!given.dryRun) await refuseOldSends(stateFolder, host);
  const facts = await accountFacts(session, checkedTarget);
  const folder = join(stateFolder, 'ledger');
  const open = given.dryRun && !files.hasLedger(folder) ? files.emptyLedger : files.openFileLedger;
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

/** Runs of versions without a ledger, besides the known ones. Their messages cannot be compared with new ones. */
export function oldRuns(stateFolder: string, known: ReadonlySet<string> = new Set()): readonly string[] {
  const folder = join(stateFolder, 'runs');
  return namesIn(folder).filter((name) => !known.has(name) && existsSync(join(folder, name, 'journal.ndjson')));
}

function refuseOldRuns(stateFolder: string): void {
  const { length } = oldRuns(stateFolder);
  if (length === 0) return;
  const path = join(stateFolder, 'runs');
  const which = length === 1 ? '1 run' : `${length} runs`;
  throw configuration(
    'runs-of-old-version',
    `${path} has ${which} of an earlier version of bizmsg; this version does not know what they sent`,
    `finish them with that version; then move the folder away: mv ${path} ${path}.old`,
  );
}

const day = 86_400_000;

/** Versions without a ledger kept live messages in the activity log for a day, with digests of another secret. */
async function refuseOldSends(stateFolder: string, { kill, now }: Pick<Host, 'kill' | 'now'>): Promise<void> {
  const secret = join(stateFolder, 'activity', 'secret');
  if (!existsSync(secret)) return;
  const { activityFolder, newestFirst } = await import('./activity/log.ts');
  for (const { intent, state } of newestFirst(activityFolder(stateFolder), kill, () => {})) {
    if (intent.at < now() - day) break;
    if (intent.digest === undefined || (state !== 'unsure' && state !== 'under way')) continue;
    throw configuration(
      'sends-of-old-version',
      'an earlier version of bizmsg left live messages that may have been sent',
      `check them: bizmsg activity --live --failed; then remove ${secret}`,
    );
  }
  rmSync(secret, { force: true });
}
