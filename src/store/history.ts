import { type Database, query, type Row } from '../base/transaction.ts';
import { batchColumns, batchOf, scopeOf, singles } from './batch.ts';
import { optionalText, text } from './columns.ts';
import { reportRowOf, shownState } from './views.ts';

/** A message to a person. */
export type Sending = Readonly<ReturnType<typeof sendingOf>>;

export interface Wanted {
  /** Everything about this person, also what was not sent. */
  readonly phone?: string | undefined;
  readonly account?: string | undefined;
  readonly since: number;
  readonly now: number;
}

const columns = `i.*, ${shownState('i', '$1')} AS shown, b.name, s.account, s.mode, s.kind, s.template`;
const from = `FROM item i JOIN scope s ON s.n = i.scope LEFT JOIN batch b ON b.id = i.batch`;

/** SQL for the wanted messages, with $1 to $4. Rows that could not be sent have no code. */
function meant({ phone }: Wanted): string {
  const which =
    phone === undefined
      ? `(i.state IN ('sent', 'unsure', 'under way') OR (i.state = 'failed' AND i.code IS NOT NULL))
        AND i.by IS NULL AND $2 = ''`
      : 'i.scope IN (SELECT n FROM scope) AND i.who = $2';
  return `s.kind <> 'import' AND ${which} AND i.at >= $3 AND ($4 = '' OR s.account = $4)
    AND (i.batch = '${singles}' OR b.name <> '')`;
}

function parameters({ phone = '', account = '', since, now }: Wanted) {
  return [now, phone, since, account] as const;
}

/** The latest messages that were sent from here, or all about a person; the latest last. */
export function latestSendings(database: Database, wanted: Wanted, limit: number): Promise<readonly Sending[]> {
  const sql = `SELECT ${columns} ${from} WHERE ${meant(wanted)} ORDER BY i.at DESC, i.batch DESC, i.n DESC LIMIT $5`;
  return database.read(function* () {
    const rows = yield* query(sql, ...parameters(wanted), limit);
    return rows.map(sendingOf).toReversed();
  });
}

// Each page looks at all rows: an index by time would slow down each send.
const usualPage = 10_000;

/** The same without a limit, in pages. */
export async function* allSendings(
  database: Database,
  wanted: Wanted,
  pageSize = usualPage,
): AsyncGenerator<readonly Sending[]> {
  const sql = `SELECT ${columns} ${from} WHERE ${meant(wanted)} AND (i.at, i.batch, i.n) > ($5, $6, $7)
    ORDER BY i.at, i.batch, i.n LIMIT ${pageSize}`;
  const pageAfter = async ({ at, batchId, n }: Place): Promise<readonly Sending[]> => {
    const rows = await database.read(() => query(sql, ...parameters(wanted), at, batchId, n));
    return rows.map(sendingOf);
  };
  for (let last: Place | undefined = { at: wanted.since, batchId: '', n: 0 }; last;) {
    const page = await pageAfter(last);
    if (page.length > 0) yield page;
    last = page.length < pageSize ? undefined : page.at(-1);
  }
}

type Place = Pick<Sending, 'at' | 'batchId' | 'n'>;

function sendingOf(row: Row) {
  return {
    ...reportRowOf(row),
    scope: scopeOf(row, ['message', 'test']),
    /** Its batch; undefined for a single message. */
    batch: optionalText(row, 'name'),
    /** Identifies it, together with `n`. */
    batchId: text(row, 'batch'),
  };
}

/** Erases a person, except waiting rows; `waiting` are the batches that still have to send to them. */
export function erase(database: Database, phone: string) {
  return database.write(function* () {
    const open = "('waiting', 'held', 'under way')";
    const mine = 'who = $1 AND scope IN (SELECT n FROM scope)';
    const rows = yield* query(`DELETE FROM item WHERE ${mine} AND state NOT IN ${open} RETURNING n`, phone);
    const sql = `SELECT DISTINCT ${batchColumns} FROM batch b JOIN scope s ON s.n = b.scope JOIN item i ON i.batch = b.id
      WHERE i.scope IN (SELECT n FROM scope) AND i.who = $1 AND b.name <> '' AND i.state IN ${open}`;
    return { rows: rows.length, waiting: (yield* query(sql, phone)).map(batchOf) };
  });
}
