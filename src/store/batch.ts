import { query, type Row } from '../base/transaction.ts';
import { integer, matching, number, type Steps, text, word } from './columns.ts';

/** The batch of single messages. */
export const singles = '';

export interface Owner {
  readonly account: string;
  readonly mode: 'live' | 'sandbox';
}

export interface Scope extends Owner {
  readonly kind: 'message' | 'import';
  readonly template: string;
}

/** A test of a batch has a scope of its own, so that it never counts as an earlier message. */
export interface SingleScope extends Owner {
  readonly kind: 'message' | 'test';
  readonly template: string;
}

export type Batch = Readonly<ReturnType<typeof batchOf>>;

export const batchColumns = 'b.*, s.account, s.mode, s.kind, s.template';
const from = 'FROM batch b JOIN scope s ON s.n = b.scope';

export function batchOf(row: Row) {
  return {
    id: matching(row, 'id', /^[\da-f]{12}$/),
    scope: scopeOf(row, ['message', 'import']),
    scopeNumber: integer(row, 'scope'),
    name: matching(row, 'name', /^[a-z\d._-]*$/),
    /** The column of `--per`, or ''. */
    per: text(row, 'per'),
    /** Kept options and columns of the file, as JSON of the caller. */
    told: text(row, 'told'),
    columns: text(row, 'columns'),
    command: text(row, 'command'),
    file: text(row, 'file'),
    madeAt: integer(row, 'made_at'),
    lastAt: integer(row, 'last_at'),
    /** When `--again` was first used; otherwise 0. */
    againAt: integer(row, 'again_at'),
    load: integer(row, 'load'),
    isLoading: integer(row, 'loading') === 1,
    isCancelled: integer(row, 'is_cancelled') === 1,
    worker: text(row, 'worker'),
    /** End of the worker's lease. */
    until: integer(row, 'until'),
  };
}

export function scopeOf<const K extends string>(row: Row, kinds: readonly K[]) {
  return {
    account: text(row, 'account'),
    mode: word(row, 'mode', ['live', 'sandbox']),
    kind: word(row, 'kind', kinds),
    template: text(row, 'template'),
  };
}

export function isWorking(batch: Pick<Batch, 'until'>, now: number): boolean {
  return batch.until > now;
}

export function* batchWithId(id: string): Steps<Batch | undefined> {
  const [row] = yield* query(`SELECT ${batchColumns} ${from} WHERE b.id = $1`, id);
  return row && batchOf(row);
}

/** All batches of an account and mode, in the order in which they were made. */
export function* batchesOf({ account, mode }: Owner): Steps<readonly Batch[]> {
  const sql = `SELECT ${batchColumns} ${from} WHERE s.account = $1 AND s.mode = $2 AND b.name <> ''
    ORDER BY b.made_at, b.id`;
  return (yield* query(sql, account, mode)).map(batchOf);
}

/** Those with a name, or else those whose ids begin with it. */
export function batchesNamed(batches: readonly Batch[], nameOrId: string): readonly Batch[] {
  const wanted = nameOrId.toLowerCase();
  const named = batches.filter(({ name }) => name === wanted);
  return named.length > 0 ? named : batches.filter(({ id }) => wanted !== '' && id.startsWith(wanted));
}

/** The number of a scope, which is created if it is missing. */
export function* scopeNumber({ account, mode, kind, template }: Scope | SingleScope): Steps<number> {
  const values = [account, mode, kind, template];
  const sql = 'SELECT n FROM scope WHERE account = $1 AND mode = $2 AND kind = $3 AND template = $4';
  const [stored] = yield* query(sql, ...values);
  if (stored) return integer(stored, 'n');
  yield* query(
    `INSERT INTO scope (n, account, mode, kind, template) SELECT COALESCE(MAX(n), 0) + 1, $1, $2, $3, $4 FROM scope
      WHERE true ON CONFLICT DO NOTHING`,
    ...values,
  );
  return yield* number(sql, ...values);
}

/** 12 hexadecimal digits. */
export function newId(random: () => number): string {
  return Math.floor(random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}
