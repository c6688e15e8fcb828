import { query, type Transaction } from '../base/transaction.ts';

/** How far the ledger was when it was last used with a live key. */
export const lastTick: Transaction<number> = function* () {
  const [row] = yield* query('SELECT tick FROM ledger');
  return Number(row?.['tick'] ?? 0);
};

export function putTick(tick: number): Transaction<void> {
  return function* () {
    yield* query('INSERT INTO ledger (id, tick) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET tick = $1', tick);
  };
}
