import { CliError, unsafe } from '../base/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { pathOf } from '../ledger/open.ts';
import { lastTick, putTick } from '../logs/ledger-tick.ts';
import type { ActivityRecorder } from './activity-recorder.ts';
import type { Session } from './session.ts';

/**
 * Refuses a ledger that is older than what was sent, for example from a backup: the logs have its last tick, which this
 * process updates after its first claim and at its end. A fault of the logs is no reason to stop.
 */
export async function watchAge(
  { given, stateFolder }: Session,
  ledger: Ledger,
  { logs }: Pick<ActivityRecorder, 'logs'>,
): Promise<Ledger> {
  const record = () => attempt(async () => (await logs()).write(putTick(await ledger.tick())));
  let recorded: Promise<unknown> | undefined;
  const isOlder = (await ledger.tick()) < ((await attempt(async () => (await logs()).read(lastTick))) ?? 0);
  if (isOlder && !given.acceptLoss) {
    await ledger.close();
    throw older(pathOf({ stateFolder: stateFolder(), isLocal: false }));
  }
  if (isOlder) await record();
  return {
    ...ledger,
    claim: (...claimed) => recording(ledger.claim(...claimed)),
    claimSingle: (...claimed) => recording(ledger.claimSingle(...claimed)),
    async close(last) {
      if (recorded) await record();
      await ledger.close(last);
    },
  };

  async function recording<T>(claiming: Promise<T>): Promise<T> {
    const claimed = await claiming;
    await (recorded ??= record());
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

function older(path: string): CliError {
  const message = `${path} is older than what was sent from here: it was restored from a backup, or removed`;
  const hint = 'restore a newer one, or go on with --accept-loss: what this ledger does not know is sent again';
  return unsafe('ledger-older', message, hint);
}
