import { type Database, query, type Row } from '../base/transaction.ts';
import { type Owner, singles } from './batch.ts';
import { integer, optionalText, type Steps, text } from './columns.ts';
import { lease } from './schema.ts';

/** The unsure rows of a batch, or all of a person. */
type Meant = { readonly batch: string } | { readonly phone: string };

export interface Marking {
  readonly owner: Owner;
  readonly meant: Meant;
  /** Whether the row with a number is meant; all are if undefined. */
  readonly rows?: ((n: number) => boolean) | undefined;
  readonly as: 'sent' | 'not sent';
  readonly now: number;
}

export type Marked =
  | { readonly kind: 'marked'; readonly count: number }
  | { readonly kind: 'working'; readonly name: string }
  /** A person has several rows, so their numbers are needed. */
  | { readonly kind: 'several'; readonly name: string; readonly rows: readonly number[] };

const unsure = `SELECT i.batch, i.n, i.who, i.state, i.at, b.name, b.per, b.until FROM item i
  JOIN scope s ON s.n = i.scope LEFT JOIN batch b ON b.id = i.batch
  WHERE s.account = $1 AND s.mode = $2 AND i.state IN ('unsure', 'under way')`;

// An earlier text that was sent counts again.
const asSent = `UPDATE item SET state = 'sent', reason = NULL, by = NULL, code = NULL WHERE batch = $1 AND n = $2`;
const asNotSent = `UPDATE item SET code = NULL,
  reason = CASE WHEN batch = '${singles}' THEN 'marked as not sent' END,
  state = CASE WHEN sent_at IS NOT NULL THEN 'sent' WHEN batch = '${singles}' THEN 'failed'
    WHEN EXISTS (SELECT 1 FROM batch b WHERE b.id = item.batch AND b.is_cancelled = 1) THEN 'cancelled'
    ELSE 'waiting' END,
  text = COALESCE(sent_text, text), at = COALESCE(sent_at, at), sent_text = NULL, sent_at = NULL
  WHERE batch = $1 AND n = $2`;

/** Settles unsure rows as a person says. */
export function mark(database: Database, { owner, meant, rows, as, now }: Marking): Promise<Marked> {
  return database.write(function* () {
    const all = yield* unsureRows(owner, meant);
    const marked = all.filter((row) => rows?.(integer(row, 'n')) ?? true);
    const working = marked.find((row) => isUnderWork(row, now));
    if (working) return { kind: 'working', name: optionalText(working, 'name') ?? '' };
    const several = 'phone' in meant && !rows ? severalOf(marked) : undefined;
    if (several) return several;
    const each = marked.map((row) => [text(row, 'batch'), integer(row, 'n')]);
    yield { sql: as === 'sent' ? asSent : asNotSent, each };
    return { kind: 'marked', count: marked.length };
  });
}

function unsureRows({ account, mode }: Owner, meant: Meant): Steps<readonly Row[]> {
  return 'batch' in meant
    ? query(`${unsure} AND i.batch = $3`, account, mode, meant.batch)
    : query(`${unsure} AND i.who = $3`, account, mode, meant.phone);
}

function isUnderWork(row: Row, now: number): boolean {
  if (text(row, 'batch') !== singles) return integer(row, 'until') > now;
  return text(row, 'state') === 'under way' && integer(row, 'at') > now - lease;
}

function severalOf(marked: readonly Row[]): Marked | undefined {
  const batches = marked.map((row) => text(row, 'batch'));
  const batch = batches.find((id, at) => id !== singles && batches.indexOf(id) !== at);
  const rows = marked.filter((row) => row['batch'] === batch);
  if (batch === undefined) return undefined;
  return { kind: 'several', name: text(rows[0], 'name'), rows: rows.map((row) => integer(row, 'n')) };
}
