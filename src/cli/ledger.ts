import { join } from 'node:path';
import type { FileLedger } from '../ledger/file/file-ledger.ts';
import type { Account } from '../ledger/ledger.ts';
import type { AnyCaller, Approached, Line } from './approached.ts';
import { refuseOldRuns, refuseOldSends } from './old-runs.ts';

export interface OpenedLedger {
  readonly ledger: Pick<FileLedger, 'secret' | 'register' | 'claim' | 'settle' | 'look' | 'runs' | 'note'>;
  readonly account: Account;
  close(): Promise<void>;
}

/** The ledger for what is sent as this caller. A dry run creates none. */
export async function openLedger(line: Line, caller: AnyCaller, approached: Approached): Promise<OpenedLedger> {
  const { host, given, reporter } = line;
  const [{ accountOf }, { accountFacts }, { stateFolder }, files] = await Promise.all([
    import('../ledger/identity.ts'),
    import('./account.ts'),
    line.sandboxes(),
    import('../ledger/file/file-ledger.ts'),
  ]);
  refuseOldRuns(stateFolder);
  if (!given.dryRun) await refuseOldSends(stateFolder, host);
  const facts = await accountFacts(line, caller, approached, { write: true });
  const folder = join(stateFolder, 'ledger');
  const open = given.dryRun && !files.hasLedger(folder) ? files.emptyLedger : files.openFileLedger;
  const ledger = open({
    folder,
    owner: { pid: host.pid, kill: host.kill },
    now: host.now,
    later: host.later,
    random: host.random,
    // A sandbox on this machine loses its own data with a power cut.
    isLocal: approached.simulated,
    onRepaired: (path, bytes) =>
      reporter.note(
        'ledger-repaired',
        `a crash left ${bytes} bytes of an incomplete line in ${path}; they are removed`,
      ),
  });
  const { baseUrl, key } = approached.target;
  const account = accountOf(ledger.secret, facts ?? { origin: new URL(baseUrl).origin, key, sandbox: 'not running' });
  return { ledger, account, close: ledger.close };
}
