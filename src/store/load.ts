import { unsafe } from '../base/errors.ts';
import { type Database, query, type Row, type Value } from '../base/transaction.ts';
import { type Batch, batchesOf, batchWithId, isWorking } from './batch.ts';
import { unwanted, notWanted, outcomeOf, parameters, unreadable, verdict } from './before.ts';
import { cellsOf, integer, optionalText, type Steps, text } from './columns.ts';
import { flags, isOpen, type Plan, type Resend } from './decide.ts';
import { exclude, highest } from './draft.ts';
import { inPieces, isUnique, lease } from './schema.ts';
import { hold, leftUnderWay } from './work.ts';

/** The options of a command that its batch keeps. */
export interface Kept {
  readonly name: string;
  readonly per: string;
  readonly told: string;
  readonly command: string;
  readonly columns: string;
}

/** Makes a plan visible: creates the batch, or gets hold of it. A cut load is repeated from here. */
export function begin(database: Database, plan: Plan, kept: Kept, worker: string): Promise<Batch> {
  return database.write(function* () {
    const { id, scope, target } = plan.draft;
    // A question that is open for days outlives its draft.
    if (!(yield* batchWithId(id))) throw changed(kept.name);
    if (target) yield* requireUnchanged(target, plan.now);
    else if ((yield* batchesOf(scope)).some(({ name }) => name === kept.name)) throw changed(kept.name);
    yield* target ? keepIn(target, plan, kept) : becomeBatch(id, kept, plan);
    return yield* takeHold(target?.id ?? id, worker, plan.now, true);
  });
}

/** Throws if another process has changed the batch since it was read. */
function* requireUnchanged({ id, load, name }: Batch, now: number): Steps<void> {
  const stored = yield* batchWithId(id);
  if (!stored || stored.load !== load || stored.isCancelled || isWorking(stored, now)) throw changed(name);
}

function changed(name: string): Error {
  const message = `another process has changed batch ${name}`;
  return unsafe('batch-changed', message, 'nothing was sent; repeat the command');
}

function* becomeBatch(id: string, kept: Kept, { againAt, file }: Plan): Steps<void> {
  const sql = `UPDATE batch SET told = $2, command = $3, columns = $4, again_at = $5, load = 1, name = $6, per = $7, file = $8
    WHERE id = $1`;
  yield* query(sql, id, kept.told, kept.command, kept.columns, againAt, kept.name, kept.per, file);
}

function* keepIn({ id }: Batch, plan: Plan, kept: Kept): Steps<void> {
  const sql = 'UPDATE batch SET told = $2, command = $3, columns = $4, again_at = $5, load = load + 1 WHERE id = $1';
  yield* query(sql, id, kept.told, kept.command, kept.columns, plan.againAt);
  if (plan.dropsExcluded) yield* query('DELETE FROM excluded WHERE batch = $1', id);
  const copy =
    'INSERT INTO excluded (batch, phone) SELECT $1, phone FROM excluded WHERE batch = $2 ON CONFLICT DO NOTHING';
  yield* query(copy, id, plan.draft.id);
}

/** Makes a process the worker of a batch. Rows that a dead one had under way become unsure. */
function* takeHold(id: string, worker: string, now: number, isLoad: boolean): Steps<Batch> {
  const [row] = yield* query('SELECT worker FROM batch WHERE id = $1', id);
  // A worker that ended by itself has left nothing under way.
  if (text(row, 'worker') !== '') yield* query(leftUnderWay, id);
  const sql = `UPDATE batch SET worker = $2, until = $3, last_at = $4, loading = CASE WHEN $5 = 1 THEN 1 ELSE loading END
    WHERE id = $1`;
  yield* query(sql, id, worker, now + lease, now, isLoad ? 1 : 0);
  const batch = yield* batchWithId(id);
  if (!batch) throw new Error('the batch was deleted in its own transaction');
  return batch;
}

export interface Applying {
  readonly batch: Batch;
  readonly worker: string;
  clock(): number;
  /** Whether the batch's `--where` excludes a row; undefined if it has none. */
  readonly isUnwanted?: ((cells: string, wasUnwanted: boolean) => boolean) | undefined;
  /** Rows in a transaction. */
  readonly pieceSize?: number;
}

/** Applies a plan in pieces. Repeating the command repeats a load that was cut off. */
export async function apply(database: Database, plan: Plan, applying: Applying): Promise<void> {
  const { draft } = plan;
  if (draft.target) {
    const rows = await highest(database, draft.id);
    const hasFailed = (await database.read(() => query(someFailed, applying.batch.id))).length > 0;
    const merging = { ...applying, plan, hasFailed };
    await inPieces(rows, (...range) => merge(database, { ...merging, range }), applying.pieceSize);
    await database.write(function* () {
      yield* query('DELETE FROM excluded WHERE batch = $1', draft.id);
      yield* query('DELETE FROM batch WHERE id = $1', draft.id);
    });
  }
  await redecide(database, applying);
  await database.write(function* () {
    yield* hold(applying.batch.id, applying.worker, applying.clock());
    yield* query('UPDATE batch SET loading = 0 WHERE id = $1', applying.batch.id);
  });
}

const someFailed = "SELECT 1 FROM item WHERE batch = $1 AND state = 'failed' LIMIT 1";

interface Merging extends Applying {
  readonly plan: Plan;
  readonly range: readonly [after: number, upTo: number];
  /** Whether a row of the draft may correct one of the batch. */
  readonly hasFailed: boolean;
}

/** $1 draft, $2 number before its first row, $3 of its last row, $4 batch, $5 its load; `merge` adds $6 and $7. */
const drafted = `d.batch = $1 AND d.n > $2 AND d.n <= $3 AND ${isUnique('d')}`;
const matched = `FROM item AS d WHERE ${drafted}
  AND o.batch = $4 AND o.who = d.who AND o.per = d.per AND ${isUnique('o')}`;
const isResent = "($7 = 1 AND o.state = 'sent' AND o.text <> d.text AND d.state = 'waiting')";
const content = `body = d.body, cells = d.cells, text = d.text, line = d.line, load = $5, state = d.state, reason = d.reason,
  by = NULL, told = NULL, message_id = NULL, code = NULL`;

const statements = {
  /** Rows that were listed twice leave with the load that lists the person again. */
  forgetTwice: `DELETE FROM item WHERE batch = $4 AND n IN (
    SELECT t.n FROM item d JOIN item t ON t.scope = d.scope AND t.who = d.who AND t.per = d.per AND t.batch = $4
    WHERE ${drafted} AND t.state = 'twice')`,
  replace: `UPDATE item AS o SET ${content} ${matched} AND (${isOpen('o', '$6')}
    OR (o.state = 'failed' AND ($7 = 1 OR o.cells <> d.cells OR o.text <> d.text)))`,
  /** Marks the rows of `--resend`, because `--where` may exclude it now. */
  compare: `UPDATE item AS o SET load = $5,
    told = CASE WHEN o.state = 'unsure' AND $6 = 1 AND d.state = 'waiting' THEN 'resend'
      WHEN o.state IN ('sent', 'unsure') AND o.text <> d.text THEN d.text
      WHEN o.told = 'resend' THEN NULL ELSE o.told END,
    reason = CASE WHEN o.state <> 'sent' THEN o.reason WHEN ${isResent} THEN 'resend' END,
    body = CASE WHEN ${isResent} THEN d.body ELSE o.body END,
    cells = CASE WHEN ${isResent} THEN d.cells ELSE o.cells END
    ${matched} AND o.load <> $5`,
  dropMatched: `DELETE FROM item WHERE batch = $1 AND n > $2 AND n <= $3 AND state <> 'twice' AND EXISTS (
    SELECT 1 FROM item o WHERE o.batch = $4 AND o.who = item.who AND o.per = item.per AND ${isUnique('o')})`,
  /** $1 draft, $2 its row, $3 batch, $4 its failed row, $5 its load. */
  correct: `UPDATE item AS o SET who = d.who, per = d.per, ${content} FROM item AS d
    WHERE d.batch = $1 AND d.n = $2 AND o.batch = $3 AND o.n = $4`,
  drop: 'DELETE FROM item WHERE batch = $1 AND n = $2',
  /** The numbers stay close to each other, however often a file with a few new rows is loaded. */
  move: `UPDATE item SET batch = $4, load = $5, fixes = NULL,
    n = n + (SELECT COALESCE(MAX(n), 0) + 1 FROM item WHERE batch = $4) - (SELECT MIN(n) FROM item WHERE batch = $1 AND n > $2)
    WHERE batch = $1 AND n > $2 AND n <= $3`,
};

/** Merges a piece of the draft into its batch. Rows leave the unique index before others enter it. */
function merge(database: Database, merging: Merging): Promise<void> {
  const { plan, batch, range, worker, clock } = merging;
  const piece = [plan.draft.id, ...range, batch.id] as const;
  const [failed, unsure, changed] = flags(plan.resend);
  return database.write(function* () {
    yield* hold(batch.id, worker, clock());
    yield* query(statements.forgetTwice, ...piece);
    yield* query(statements.replace, ...piece, batch.load, batch.againAt, failed);
    yield* query(statements.compare, ...piece, batch.load, unsure, changed);
    yield* query(statements.dropMatched, ...piece);
    if (merging.hasFailed) yield* correct(merging);
    yield* query(statements.move, ...piece, batch.load);
  });
}

/** Rows that correct a failed one replace it, so that the report adds up. */
function* correct({ plan, batch, range }: Merging): Steps<void> {
  const draft = plan.draft.id;
  const isUsed = new Set<string>();
  for (const row of yield* corrections(plan, batch, range)) {
    const [n, failed] = [integer(row, 'n'), integer(row, 'failed')];
    if (isUsed.has(`row ${n}`) || isUsed.has(`failed ${failed}`)) continue;
    if (row['fixes'] === null && !isCorrection(text(row, 'cells'), text(row, 'failed_cells'))) continue;
    isUsed.add(`row ${n}`).add(`failed ${failed}`);
    yield* query(statements.correct, draft, n, batch.id, failed, batch.load);
    yield* query(statements.drop, draft, n);
  }
}

/** Failed rows that a row of the draft may correct: by their number, or by their line in the same file. */
function* corrections({ draft, file }: Plan, batch: Batch, range: Merging['range']): Steps<readonly Row[]> {
  const isSameFile = batch.file !== '' && batch.file === file;
  const select = (how: string) => `WITH o AS MATERIALIZED (SELECT n, who, per, line, cells FROM item
      WHERE batch = $4 AND state = 'failed' AND load <> $5)
    SELECT d.n, d.fixes, d.cells, o.n AS failed, o.cells AS failed_cells FROM o JOIN item d ON ${how}
    WHERE ${drafted} AND o.who <> d.who AND o.per = d.per
      AND NOT EXISTS (SELECT 1 FROM item f WHERE f.batch = $1 AND f.who = o.who AND f.per = o.per AND ${isUnique('f')})`;
  const values = [draft.id, ...range, batch.id, batch.load] as const;
  const numbered = yield* query(select('o.n = d.fixes'), ...values);
  if (!isSameFile) return numbered;
  const sameLine = yield* query(select('d.fixes IS NULL AND o.line = d.line'), ...values);
  return [...numbered, ...sameLine];
}

/** Whether rows differ in one cell, the phone, and have others that say which row it is. */
function isCorrection(cells: string, failedCells: string): boolean {
  const before = cellsOf(failedCells);
  const after = cellsOf(cells);
  const [changed, ...more] = Object.keys(after).filter((column) => after[column] !== before[column]);
  const hasSameColumns = Object.keys(after).length === Object.keys(before).length;
  const hasOthers = Object.keys(after).some((column) => column !== changed && after[column] !== '');
  return hasSameColumns && more.length === 0 && hasOthers;
}

const decidable = `SELECT i.n, i.state, i.reason, i.by, i.text, i.cells, i.load,
    CASE WHEN i.body = '' THEN 1 ELSE 0 END AS is_unreadable, ${verdict('i', { isClaim: false })} AS verdict
  FROM item i WHERE i.batch = $1 AND i.n > $9 AND i.n <= $10
    AND ${isOpen('i', '$4')} AND (i.state <> 'sent' OR i.body IS NOT NULL)`;

/** Decides again what each row that was not sent becomes. */
export async function redecide(database: Database, applying: Applying): Promise<void> {
  const { batch, worker, clock, pieceSize } = applying;
  const decidePiece = (...range: readonly [after: number, upTo: number]) =>
    database.write(function* () {
      const now = clock();
      yield* hold(batch.id, worker, now);
      const question = { batch, now, excludedBy: [batch.id, batch.id] } as const;
      const open = yield* query(decidable, ...parameters(question), ...range);
      yield { sql: writeOutcome, each: open.flatMap((row) => outcomeValues(applying, row)) };
    });
  await inPieces(await highest(database, batch.id), decidePiece, pieceSize);
}

const writeOutcome = `UPDATE item SET state = $3, reason = $4, by = $5, at = COALESCE($6, at), text = COALESCE($7, text),
  told = COALESCE($8, told) WHERE batch = $1 AND n = $2`;

/** The values of `writeOutcome`, or nothing if the row stays as it is. */
function outcomeValues({ batch, isUnwanted }: Applying, row: Row): readonly (readonly Value[])[] {
  const { id, load } = batch;
  const decided = row['is_unreadable'] === 1 ? unreadable : outcomeOf(optionalText(row, 'verdict'));
  const outcome = isUnwanted?.(text(row, 'cells'), row['reason'] === unwanted) ? notWanted : decided;
  const { state, reason, by, at = null } = outcome;
  if (state === row['state'] && reason === row['reason'] && by === row['by']) return [];
  // Another body of a contact that exists is changed, which was part of the decision.
  const isChanged = outcome.text !== undefined && outcome.text !== row['text'] && row['load'] === load;
  const told = isChanged ? text(row, 'text') : null;
  return [[id, integer(row, 'n'), state, reason, by, at, outcome.text ?? null, told]];
}

export interface Resume {
  readonly batch: Batch;
  readonly excluded: readonly string[];
  readonly resend: readonly Resend[];
  readonly worker: string;
  readonly now: number;
}

/** Goes on with the stored rows of a batch, once `redecide` has decided them again. */
export function beginResume(database: Database, resume: Resume): Promise<Batch> {
  const { batch, excluded, worker, now } = resume;
  return database.write(function* () {
    yield* requireUnchanged(batch, now);
    yield* exclude(batch.id, excluded);
    const held = yield* takeHold(batch.id, worker, now, false);
    if (resume.resend.includes('failed')) yield* query(retry, batch.id);
    if (resume.resend.includes('unsure'))
      yield* query("UPDATE item SET told = 'resend' WHERE batch = $1 AND state = 'unsure'", batch.id);
    return held;
  });
}

// Only rows that were refused have a code: the others have nothing to send.
const retry = `UPDATE item SET state = 'waiting', reason = NULL, code = NULL, told = NULL
  WHERE batch = $1 AND state = 'failed' AND code IS NOT NULL`;
