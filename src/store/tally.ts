import { type Database, query, type Row } from '../base/transaction.ts';
import { type Batch, singles } from './batch.ts';
import { integer, number, optionalText, text, word } from './columns.ts';
import { highest } from './draft.ts';
import { inPieces } from './schema.ts';
import { type State, states } from './views.ts';

/** Reasons are texts for people, and each row may have its own: the most frequent are enough. */
const mostReasons = 500;

// Most rows are sent by their own batch, for no reason.
const tallies = `SELECT state, reason, by, COUNT(*) AS count, MIN(line) AS line, MAX(at) AS at FROM item
  WHERE batch = $1 AND (load = $2 OR $2 = 0) AND (state NOT IN ('sent', 'waiting') OR by IS NOT NULL OR reason IS NOT NULL)
  GROUP BY state, reason, by ORDER BY COUNT(*) DESC, MIN(line) LIMIT ${mostReasons}`;
const totals = 'SELECT state, COUNT(*) AS count FROM item WHERE batch = $1 GROUP BY state';
// Rows that failed, or were sent by another batch, are reported once.
const isUnreported = `(state = 'failed' AND (told IS NULL OR told <> 'failed')
  OR state = 'sent' AND by IS NOT NULL AND told IS NULL)`;
const counts = `SELECT state, mine, unreported, COUNT(*) AS count FROM (
    SELECT state, CASE WHEN load = $2 OR $2 = 0 THEN 1 ELSE 0 END AS mine,
      CASE WHEN ${isUnreported} THEN 1 ELSE 0 END AS unreported
    FROM item WHERE batch = $1) i
  GROUP BY state, mine, unreported`;

export type Totals = ReadonlyMap<State, number>;

export type Ending = Awaited<ReturnType<typeof ending>>;
export type News = Ending['news'];

/** Counts the rows of a batch for the end of a command; with a load, only those of its file. */
export function ending(database: Database, { id, load }: { id: string; load: number }) {
  return database.read(function* () {
    const counted = yield* query(counts, id, load);
    const grouped = yield* query(tallies, id, load);
    const mine = counted.filter((row) => row['mine'] === 1);
    const unreported = mine.filter((row) => row['unreported'] === 1);
    const waiting = sumOf(mine, 'waiting');
    const news = {
      /** Rows that failed, or were sent by another batch, and were not reported yet. */
      failed: sumOf(unreported, 'failed'),
      elsewhere: sumOf(unreported, 'sent'),
      /** Rows that need a decision: reported each time. */
      unsure: sumOf(mine, 'unsure', 'under way'),
      held: sumOf(mine, 'held'),
      /** Rows of the command that still wait, and of others that are not in its file. */
      waiting,
      others: sumOf(counted, 'waiting') - waiting,
    };
    return { totals: totalsIn(mine), tallies: grouped.map(tallyOf), news };
  });
}

const tell = `UPDATE item SET told = CASE WHEN state = 'failed' THEN 'failed' ELSE text END
  WHERE batch = $1 AND n > $2 AND n <= $3 AND (load = $4 OR $4 = 0) AND ${isUnreported}`;

/** Remembers that the news was reported. */
export async function markReported(database: Database, { id, load }: Batch, isOfFile: boolean): Promise<void> {
  await inPieces(await highest(database, id), (...range) =>
    database.write(() => query(tell, id, ...range, isOfFile ? load : 0)),
  );
}

function totalsIn(rows: readonly Row[]): Totals {
  const all = new Map<State, number>();
  for (const row of rows) {
    const state = word(row, 'state', states);
    all.set(state, (all.get(state) ?? 0) + integer(row, 'count'));
  }
  return all;
}

function sumOf(rows: readonly Row[], ...wanted: readonly State[]): number {
  const all = totalsIn(rows);
  return wanted.reduce((sum, state) => sum + (all.get(state) ?? 0), 0);
}

/** How many rows a batch has in some states. */
export async function countIn(database: Database, id: string, ...wanted: readonly State[]): Promise<number> {
  return sumOf(await database.read(() => query(totals, id)), ...wanted);
}

/** How many people a batch has reached, for `--first`. People whom another batch reached do not count. */
export function countReached(database: Database, id: string): Promise<number> {
  const sql = `SELECT COUNT(*) AS n FROM item
    WHERE batch = $1 AND state IN ('sent', 'unsure', 'under way') AND by IS NULL`;
  return database.read(() => number(sql, id));
}

/** Ids of the messages of a batch, in pages. */
export async function* messageIds(database: Database, id: string): AsyncGenerator<readonly string[]> {
  const sql = `SELECT n, message_id FROM item WHERE batch = $1 AND n > $2 AND message_id IS NOT NULL
    ORDER BY n LIMIT 10000`;
  for (let after = 0; ;) {
    const page = await database.read(() => query(sql, id, after));
    if (page.length === 0) return;
    yield page.map((row) => text(row, 'message_id'));
    after = integer(page.at(-1), 'n');
  }
}

/** Counts the rows of all batches in one pass, by id. */
export function totalsOfAll(database: Database): Promise<ReadonlyMap<string, Totals>> {
  return database.read(function* () {
    const sql = `SELECT batch, state, COUNT(*) AS count FROM item WHERE batch <> '${singles}' GROUP BY batch, state`;
    const all = new Map<string, Map<State, number>>();
    for (const row of yield* query(sql)) {
      const id = text(row, 'batch');
      const totals = all.get(id) ?? new Map<State, number>();
      all.set(id, totals.set(word(row, 'state', states), integer(row, 'count')));
    }
    return all;
  });
}

/** Rows of a batch with the same outcome and reason. */
export type Tally = Readonly<ReturnType<typeof tallyOf>>;

function tallyOf(row: Row) {
  return {
    state: word(row, 'state', states),
    reason: optionalText(row, 'reason'),
    /** The batch that has these people, '' for single messages; undefined for this batch. */
    by: optionalText(row, 'by'),
    count: integer(row, 'count'),
    /** The line of the first one. */
    line: integer(row, 'line'),
    /** When the last one was decided. */
    at: integer(row, 'at'),
  };
}

/** Messages of an account that were sent since a time. */
export function sentSince(database: Database, account: string, mode: string, since: number): Promise<number> {
  // A row that was sent another text later has both times.
  const sql = `SELECT COALESCE(SUM(CASE WHEN i.state = 'sent' AND i.by IS NULL AND i.at >= $3 THEN 1 ELSE 0 END
      + CASE WHEN i.sent_at >= $3 THEN 1 ELSE 0 END), 0) AS n FROM scope s JOIN item i ON i.scope = s.n
    WHERE s.account = $1 AND s.mode = $2 AND s.kind <> 'import'`;
  return database.read(() => number(sql, account, mode, since));
}
