import { type Database, query, type Row } from '../base/transaction.ts';
import { type Batch, type Scope, scopeNumber } from './batch.ts';
import { unwanted } from './before.ts';
import { cellsOf, integer, number, type Steps, text } from './columns.ts';
import { isUnique, shortHash } from './schema.ts';

/** A batch that is not visible yet: it has no name. */
export interface Draft {
  readonly id: string;
  readonly scope: Scope;
  readonly scopeNumber: number;
  /** The batch that it is loaded into; undefined if it becomes one itself. */
  readonly target: Batch | undefined;
}

/** A row of the input. */
export interface NewRow {
  /** Its number in the input, from 1. */
  readonly n: number;
  readonly line: number;
  /** E.164; undefined if it cannot be read. */
  readonly phone: string | undefined;
  /** The value of `--per`, or ''. */
  readonly per: string;
  /** The body of the request as JSON; '' if there is a problem. */
  readonly body: string;
  /** The columns of the file, as JSON. */
  readonly cells: string;
  /** Why it cannot be sent. */
  readonly problem?: string | undefined;
  /** Whether `--where` excludes it. */
  readonly isUnwanted?: boolean | undefined;
  /** The number of the row that it corrects, from a report. */
  readonly fixes?: number | undefined;
}

export function openDraft(
  database: Database,
  { id, scope, target, now }: Omit<Draft, 'scopeNumber'> & { readonly now: number },
): Promise<Draft> {
  return database.write(function* () {
    const number = yield* scopeNumber(scope);
    const sql = "INSERT INTO batch (id, scope, name, made_at, last_at) VALUES ($1, $2, '', $3, $3)";
    yield* query(sql, id, number, now);
    return { id, scope, scopeNumber: number, target };
  });
}

// Of rows for the same person, the first counts.
const insert = `INSERT INTO item (batch, n, scope, who, per, body, cells, text, line, load, is_twice, state, reason, at, fixes)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, 1, t.is_twice, CASE WHEN t.is_twice = 1 THEN 'twice' ELSE $10 END, $11, $12, $13
  FROM (SELECT CASE WHEN EXISTS (
    SELECT 1 FROM item o WHERE o.batch = $1 AND o.who = $4 AND o.per = $5 AND ${isUnique('o')}
  ) THEN 1 ELSE 0 END AS is_twice) t`;

/** Adds a piece of the input. */
export async function addRows(database: Database, draft: Draft, rows: readonly NewRow[], now: number): Promise<void> {
  const each = rows.map((row) => valuesOf(draft, row, now));
  await database.write(function* () {
    yield { sql: insert, each };
  });
  // PostgreSQL would look each row up among all of a draft that it takes for small.
  if (doublings(rows.at(-1)) > Math.max(0, doublings(rows[0]))) await database.analyze?.('item');
}

/** How often the input doubled from a few rows until this one. */
function doublings(row: NewRow | undefined): number {
  return Math.floor(Math.log2((row?.n ?? 0) / 100));
}

function valuesOf({ id, scope, scopeNumber }: Draft, row: NewRow, now: number) {
  const { n, line, per, body, cells, problem = null, fixes = null } = row;
  const text = shortHash(body);
  // Without a phone, a contact is its body; a row that cannot be read is its cells.
  const who =
    row.phone ??
    (body !== '' && scope.kind === 'import' ? `=${text}` : `?${shortHash(cells === '{}' ? cells + line : cells)}`);
  const state = problem !== null ? 'failed' : row.isUnwanted ? 'not sent' : 'waiting';
  const reason = problem ?? (row.isUnwanted ? unwanted : null);
  return [id, n, scopeNumber, who, per, body, cells, text, line, state, reason, now, fixes];
}

/** Adds phones of `--exclude-from`. */
export function* exclude(batch: string, phones: readonly string[]): Steps<void> {
  const each = phones.map((phone) => [batch, phone]);
  yield { sql: 'INSERT INTO excluded (batch, phone) VALUES ($1, $2) ON CONFLICT DO NOTHING', each };
}

/** The highest number of a row in a batch. */
export function highest(database: Database, batch: string): Promise<number> {
  return database.read(() => number('SELECT COALESCE(MAX(n), 0) AS n FROM item WHERE batch = $1', batch));
}

/** How many phones a batch excludes. */
export function excludedCount(database: Database, batch: string): Promise<number> {
  return database.read(() => number('SELECT COUNT(*) AS n FROM excluded WHERE batch = $1', batch));
}

/** The body of the first row that can be sent, even if its person got it before. */
export function firstBody(database: Database, { id }: Draft): Promise<string | undefined> {
  return database.read(function* () {
    const [row] = yield* query("SELECT body FROM item WHERE batch = $1 AND state = 'waiting' ORDER BY n LIMIT 1", id);
    return row && text(row, 'body');
  });
}

/** Pairs of rows that are compared. */
const mostPairs = 100;

const inFile = `SELECT f.cells AS first, d.cells AS second, d.who, f.line AS first_line, d.line FROM item d
  JOIN item f ON f.batch = d.batch AND f.who = d.who AND f.per = d.per AND ${isUnique('f')}
  WHERE d.batch = $1 AND d.state = 'twice' AND f.text <> d.text ORDER BY d.n LIMIT ${mostPairs}`;
const elsewhere = `SELECT o.cells AS first, d.cells AS second FROM item d
  JOIN item o ON o.scope = d.scope AND o.who = d.who AND o.batch <> d.batch AND o.batch <> $2 AND o.batch <> ''
  WHERE d.batch = $1 AND d.state = 'waiting' AND o.cells IS NOT NULL AND o.state = 'sent' AND o.text <> d.text
  LIMIT ${mostPairs}`;

/** The first people with several texts in the file, and the columns that could be `--per`. */
export function listedTwice(database: Database, { id }: Draft) {
  return database.read(function* () {
    const pairs = yield* query(inFile, id);
    const lines = (row: Row) => [integer(row, 'first_line'), integer(row, 'line')] as const;
    return { people: pairs.map((row) => ({ who: text(row, 'who'), lines: lines(row) })), columns: differing(pairs) };
  });
}

/** Columns that could be `--per`, so that people who got another text elsewhere get this one, too. */
export function columnsThatDiffer(database: Database, { id, target }: Draft): Promise<readonly string[]> {
  return database.read(function* () {
    return differing(yield* query(elsewhere, id, target?.id ?? '-'));
  });
}

/** Columns whose values tell several messages for one person apart. */
function differing(pairs: readonly Row[]): readonly string[] {
  const cells = pairs.map((row) => [cellsOf(text(row, 'first')), cellsOf(text(row, 'second'))] as const);
  const isDifferent = (column: string) =>
    cells.every(
      ([first, second]) => isValue(first[column]) && isValue(second[column]) && first[column] !== second[column],
    );
  return Object.keys(cells[0]?.[1] ?? {}).filter(isDifferent);
}

function isValue(cell: unknown): boolean {
  return (typeof cell === 'string' && cell !== '') || typeof cell === 'number';
}
