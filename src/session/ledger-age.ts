import { randomBytes } from 'node:crypto';
import { CliError, olderLedger } from '../base/errors.ts';
import { query, type Transaction } from '../base/transaction.ts';
import type { Ledger, LedgerAge } from '../ledger/ledger.ts';
import { openLogs } from '../logs/database.ts';
import type { Session } from './session.ts';

/** Milliseconds that the logs may delay a request. */
const patience = 1_000;

/**
 * Refuses a ledger that is older than what was sent, for example from a backup: the logs have its last tick, which this
 * process updates after its first claim and at its end. A fault of the logs is no reason to stop.
 */
export async function watchAge(
  { host, note, stateFolder }: Session,
  { ledger, age }: { readonly ledger: Ledger; readonly age: LedgerAge },
): Promise<Ledger> {
  const logs = await attempt(() => openLogs(stateFolder(), { host, patience, note: (text) => note('logs', text) }));
  const last = await attempt(async () => logs?.read(lastTick(age.id)));
  const place = last?.place ?? randomBytes(6).toString('hex');
  let recorded: Promise<unknown> | undefined;
  if (last && (await age.seen(place)) < last.tick) {
    await Promise.all([ledger.close(), logs?.close()]);
    throw age.older();
  }
  return {
    ...ledger,
    claim: (...claimed) => recording(ledger.claim(...claimed)),
    claimSingle: (...claimed) => recording(ledger.claimSingle(...claimed)),
    async close(outcomes) {
      await Promise.all([ledger.close(outcomes), recorded && record()]);
      await logs?.close();
    },
  };

  /** In one transaction with what was claimed or recorded before in the same turn. */
  function record(): Promise<unknown> {
    const marked = age.mark(place);
    return attempt(async () => logs?.write(putTick(age.id, { tick: await marked, place })));
  }

  async function recording<T>(claiming: Promise<T>): Promise<T> {
    const [claimed] = await Promise.all([claiming, (recorded ??= record())]);
    return claimed;
  }
}

async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** How far a ledger was when it was last used with a live key, and the name of this machine there. */
interface LastTick {
  readonly tick: number;
  readonly place: string;
}

function lastTick(ledger: string): Transaction<LastTick | undefined> {
  return function* () {
    const [row] = yield* query('SELECT tick, place FROM ledger WHERE id = $1', ledger);
    return row && { tick: Number(row['tick']), place: String(row['place']) };
  };
}

function putTick(ledger: string, { tick, place }: LastTick): Transaction<void> {
  return function* () {
    yield* query(
      'INSERT INTO ledger (id, tick, place) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET tick = $2, place = $3',
      ledger,
      tick,
      place,
    );
  };
}

/** The age of the ledger in this file. */
export function ageOf(ledger: Ledger, path: string): LedgerAge {
  return { id: '', seen: ledger.tick, mark: ledger.tick, older: () => olderLedger(path) };
}
