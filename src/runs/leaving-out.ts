import {
  type Accepted,
  type Fate,
  fateAt,
  fates,
  type Ledger,
  type Note,
  type Plan,
  type Registered,
} from '../ledger/ledger.ts';

/** Rows of the input that are not sent, although the ledger would send them. */
interface LeftOut {
  /** Their fates, and 0 or any other fate for the other rows. */
  readonly known: Uint8Array;
  /** Rows known to be sent are sent, even if the ledger has them as unsure. */
  readonly isCertain: boolean;
  notes(rows: readonly number[]): readonly Note[];
  /** Called once the run is registered; returns the rows that are left out indeed. */
  keep(run: string, rows: readonly number[]): Promise<readonly number[]>;
}

/** Fates of rows that were sent, or may have been. */
const sent: ReadonlySet<Fate> = new Set(['done', 'unsure', 'earlier', 'changed']);
const open: ReadonlySet<Fate> = new Set(['due', 'retry', 'later']);

export function hasSent(known: Uint8Array): boolean {
  return known.some((_, row) => sent.has(fateAt(known, row)));
}

/** Registers the input without the rows that are known to be sent. */
export async function registerRest(
  ledger: Pick<Ledger, 'register'>,
  plan: Plan,
  { known, isCertain, notes, keep }: LeftOut,
): Promise<Registered> {
  const unlimited = { ...plan, choice: { ...plan.choice, atMost: undefined } };
  const foreseen = await ledger.register({ ...unlimited, isRehearsal: true });
  if (foreseen.stop) return foreseen;
  const rest = without(foreseen, known, rowsToLeaveOut(foreseen, known, isCertain), notes);
  const due = rest.counts.due + rest.counts.retry;
  if (due > (plan.choice.atMost ?? Infinity)) return { stop: { reason: 'too-many', rows: due }, notes: [] };
  if (plan.isRehearsal) return rest;
  const registered = await ledger.register(unlimited);
  if (registered.stop) return registered;
  const rows = await keep(registered.run, rowsToLeaveOut(registered, known, isCertain));
  return without(registered, known, rows, notes);
}

function rowsToLeaveOut(registered: Accepted, known: Uint8Array, isCertain: boolean): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < known.length; row++) {
    const [fate, own] = [fateAt(registered.fates, row), fateAt(known, row)];
    const isOutvoted = isCertain && fate === 'unsure' && own === 'done';
    if (isOutvoted || (open.has(fate) && sent.has(own))) rows.push(row);
  }
  return rows;
}

/** With the known fates for these rows. */
function without(registered: Accepted, known: Uint8Array, rows: readonly number[], notes: LeftOut['notes']): Accepted {
  const merged = registered.fates.slice();
  const counts = { ...registered.counts };
  for (const row of rows) {
    const own = fateAt(known, row);
    counts[fateAt(merged, row)] -= 1;
    counts[own] += 1;
    merged[row] = fates.indexOf(own);
  }
  return { ...registered, fates: merged, counts, notes: [...registered.notes, ...notes(rows)] };
}
