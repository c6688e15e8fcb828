import { integrityProblem } from '../base/sqlite.ts';
import { damaged } from '../base/sqlite-errors.ts';
import { checkOf, secretIn, unusable } from './identity.ts';
import { hasLedger, type LedgerOptions, openFile, pathOf } from './open.ts';
import { countProblem, secretCheck } from './statements.ts';

/** Reads the whole ledger of this machine; throws the error that a command would get. */
export async function checkLedger(options: Pick<LedgerOptions, 'stateFolder' | 'host'>): Promise<void> {
  const which = { ...options, isLocal: false, note: () => {} };
  if (!hasLedger(which)) return;
  const [path, check] = [pathOf(which), checkOf(secretIn(options.stateFolder, true, options.host.pid))];
  const database = await openFile(which);
  try {
    const found = await database.read(function* () {
      return { check: yield* secretCheck(), problem: (yield* integrityProblem()) ?? (yield* countProblem()) };
    });
    if (found.problem !== undefined) throw damaged(path, found.problem);
    if (found.check !== check) throw unusable(`${path} was written with another secret`);
  } finally {
    await database.close();
  }
}
