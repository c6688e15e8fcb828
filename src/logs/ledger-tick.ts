import { query, type Transaction } from '../base/transaction.ts';

/** How far a ledger was when it was last used with a live key, and the name of this machine there. */
export interface LastTick {
  readonly tick: number;
  readonly place: string;
}

export function lastTick(ledger: string): Transaction<LastTick | undefined> {
  return function* () {
    const [row] = yield* query('SELECT tick, place FROM ledger WHERE id = $1', ledger);
    return row && { tick: Number(row['tick']), place: String(row['place']) };
  };
}

export function putTick(ledger: string, { tick, place }: LastTick): Transaction<void> {
  return function* () {
    yield* query(
      'INSERT INTO ledger (id, tick, place) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET tick = $2, place = $3',
      ledger,
      tick,
      place,
    );
  };
}
