import { sleep } from '../base/sleep.ts';
import type { Database, Transaction } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import { pollInterval, type Source } from './list.ts';

interface Paging<R> {
  /** The newest records before a number (default: of all), the newest first; fewer than the limit may come. */
  before(number: number | undefined, limit: number): Transaction<readonly R[]>;
  /** Some records after a number, in order. */
  after(number: number): Transaction<readonly R[]>;
  numberOf(record: R): number;
}

/** Reads records from the logs of this machine, or from another database. */
export function loggedSource<R>(
  { host, stateFolder, note }: Context,
  { before, after, numberOf }: Paging<R>,
  logs?: Database,
): Source<R> {
  return {
    async *back(size) {
      for (let number: number | undefined; ;) {
        const records = await read(before(number, size));
        const [newest] = records;
        yield { records: records.toReversed(), cursor: newest ? numberOf(newest) : 0 };
        const last = records.at(-1);
        if (!last) return;
        number = numberOf(last);
      }
    },
    async after(cursor) {
      while (!host.signal.aborted) {
        const records = await read(after(cursor));
        const last = records.at(-1);
        if (last) return { records, cursor: numberOf(last) };
        await sleep(pollInterval, host.later, host.signal);
      }
      return { records: [], cursor };
    },
    close: async () => logs?.close(),
  };

  async function read(body: Transaction<readonly R[]>): Promise<readonly R[]> {
    const { openRecorded } = await import('../logs/database.ts');
    logs ??= await openRecorded(stateFolder(), { host, note: (text) => note('logs', text) });
    return (await logs?.read(body)) ?? [];
  }
}
