import { query, type Row, type Statement, type Transaction, type Value } from '../base/transaction.ts';
import type { ReportedRow, RunFacts, RunPlan, RunReport, Settled, Settlement, Subject, UnsentRow } from './ledger.ts';
import {
  type Flight,
  flightIn,
  itemIn,
  type ItemText,
  itemTextIn,
  type KnownOwner,
  ownerIn,
  reportIn,
  runIn,
  textIn,
} from './records.ts';
import { type Item, type Run, singles } from './run.ts';
import { codeOf, type Event, moveOf, next, type State, states } from './states.ts';

/** Steps of a transaction, for use with `yield*`. */
export type Steps<T> = ReturnType<Transaction<T>>;

/** The reads that probably follow. */
export type Ahead = () => readonly Steps<unknown>[];

/** When a change is made. */
export interface Moment {
  readonly tick: number;
  readonly now: number;
}

/** Creates the clock, unless it exists; returns the check of the secret with which the ledger was written. */
export function* startClock(check: string): Steps<string | undefined> {
  yield* query(
    'INSERT INTO ledger (id, secret_check, tick, at) VALUES (1, $1, 0, 0) ON CONFLICT (id) DO NOTHING',
    check,
  );
  return yield* secretCheck();
}

export function* secretCheck(): Steps<string | undefined> {
  const [row] = yield* query('SELECT secret_check FROM ledger');
  return row && textIn(row, 'secret_check');
}

export function* replaceCheck(check: string): Steps<void> {
  yield* query('UPDATE ledger SET secret_check = $1', check);
}

/** The last tick, and when a command last registered, claimed or settled rows. */
export function* lastMoment(ahead: Ahead = () => []): Steps<Moment> {
  const [row] = yield { sql: 'SELECT tick, at FROM ledger', values: [], ahead: () => ahead().flatMap(firstOf) };
  return { tick: Number(row?.['tick'] ?? 0), now: Number(row?.['at'] ?? 0) };
}

/** The next tick. `isWork`: the clock counts as right from now on. `ahead`: what is read after it. */
export function* nextMoment(now: number, isWork: boolean, ahead: Ahead): Steps<Moment> {
  const at = isWork ? ', at = $1' : '';
  const sql = `UPDATE ledger SET tick = tick + 1${at} RETURNING tick`;
  const [row] = yield { sql, values: isWork ? [now] : [], ahead: () => ahead().flatMap(firstOf) };
  return { tick: Number(row?.['tick']), now };
}

function firstOf(steps: Steps<unknown>): readonly Statement[] {
  const step = steps.next();
  return step.done !== true && 'values' in step.value ? [step.value] : [];
}

export function* allOwners(): Steps<readonly KnownOwner[]> {
  return (yield* query('SELECT * FROM owner')).map(ownerIn);
}

/** Records that a process works on a run. */
export function* putOwner({ id, run, pid, start, beat }: Omit<KnownOwner, 'isDead'>): Steps<void> {
  const known = 'ON CONFLICT (id, run) DO UPDATE SET beat = excluded.beat';
  yield* insert('owner', { id, run, pid, start: start ?? null, beat }, known);
}

export function* putBeat(id: string, beat: number): Steps<void> {
  yield* update('owner', { id }, { beat });
}

export function* removeOwner(id: string): Steps<void> {
  yield* query('DELETE FROM owner WHERE id = $1', id);
}

/** Records that a process was found dead. Its rows in flight are unsure. */
export function* markDead({ id, run }: Pick<KnownOwner, 'id' | 'run'>): Steps<void> {
  yield* update('owner', { id, run }, { is_dead: 1 });
}

/** All runs and drafts of runs, the oldest first. */
export function* allRuns(): Steps<readonly Run[]> {
  return (yield* query('SELECT * FROM run ORDER BY n')).map(runIn);
}

/** Drafts, runs without activity since a time, and those of single messages: a machine may have thousands of others. */
export function* oldRuns(at: number): Steps<readonly Run[]> {
  const rows = yield* query(`SELECT * FROM run WHERE is_draft = 1 OR last_at <= $1 OR id LIKE '${singles}%'`, at);
  return rows.map(runIn);
}

export function* runNamed(id: string): Steps<Run | undefined> {
  const [row] = yield* query('SELECT * FROM run WHERE id = $1', id);
  return row && runIn(row);
}

export function* runAt(n: number): Steps<Run | undefined> {
  const [row] = yield* query('SELECT * FROM run WHERE n = $1', n);
  return row && runIn(row);
}

export interface NewRun extends Subject, RunFacts {
  readonly id: string;
  readonly isAgain: boolean;
  readonly skipSent?: number | undefined;
}

/** Adds a draft of a run, unless a run has this id. */
export function* addRun(run: NewRun, { tick, now }: Moment): Steps<void> {
  const { id, mode, kind, job, perColumns = [], isAgain, skipSent } = run;
  const values = {
    id,
    ...subjectOf(run),
    mode,
    kind,
    job: job ?? null,
    per_columns: JSON.stringify(perColumns),
    is_again: Number(isAgain),
    skip_sent: skipSent ?? null,
    is_draft: 1,
    tick,
    started_at: now,
    last_at: now,
  };
  yield* insert('run', values, 'ON CONFLICT (id) DO NOTHING');
}

/** A command begins, or continues, a run whose rows are registered. */
export function* commitRun(
  { n, isDraft, tick }: Run,
  run: Subject & RunFacts & Pick<RunPlan, 'resumesAt'>,
  start: string | undefined,
  at: Moment,
): Steps<void> {
  const times = { last_at: at.now, resumes_at: run.resumesAt ?? 0 };
  const began = { tick: isDraft ? at.tick : tick, ...times, start: start ?? null };
  const open = { is_draft: 0, is_closed: 0, has_ended: 0, stopped: null };
  yield* update('run', { n }, { ...subjectOf(run), ...began, ...open });
}

/** From the latest command of a run. */
function subjectOf({ account, template, command, typed, file, rows, invalid }: Subject & RunFacts) {
  return {
    account,
    template: template ?? null,
    command,
    typed,
    file: file ?? null,
    rows,
    invalid,
  };
}

export function* reportRun(id: string, { skipped, stopped, files }: RunReport): Steps<void> {
  yield* update('run', { id }, { skipped, stopped: stopped ?? null, files: JSON.stringify(files) });
}

export function* endRun(id: string): Steps<void> {
  yield* update('run', { id }, { has_ended: 1 });
}

/** Makes sure that no command continues a run. */
export function* markClosed(n: number, stopped?: string): Steps<void> {
  yield* update('run', { n }, { is_closed: 1, ...(stopped !== undefined && { stopped }) });
}

/** Hides a run until its rows and itself are removed. */
export function* makeDraft(n: number): Steps<void> {
  yield* update('run', { n }, { is_draft: 1 });
}

export function* removeRunRow(n: number): Steps<void> {
  yield* query('DELETE FROM run WHERE n = $1', n);
}

export type Counts = Readonly<Partial<Record<State, number>>>;

const counted = states.filter((state) => state !== 'absent');
const adding = `UPDATE run SET ${counted.map((state, at) => `${state} = ${state} + $${at + 1}`).join(', ')},
  last_at = CASE WHEN last_at > $8 THEN last_at ELSE $8 END,
  resumes_at = CASE WHEN resumes_at > $9 THEN resumes_at ELSE $9 END,
  has_ended = has_ended * $10 WHERE n = $11`;

/** Adds to the counts of a run. */
function* addToRun(n: number, counts: Counts, { now = 0, resumesAt = 0, isWork = false } = {}): Steps<void> {
  yield* query(adding, ...counted.map((state) => counts[state] ?? 0), now, resumesAt, isWork ? 0 : 1, n);
}

const itemsWhere = 'SELECT run, n, who, per, text, state, at, tick, owner, line, retried_at FROM item WHERE';

const ofRun = 'run = (SELECT n FROM run WHERE id = $1)';
const flightsWhere = 'SELECT run, n, state, owner, retried_at FROM item WHERE';
const textsWhere = 'SELECT run, n, state, at, tick, owner, retried_at, text FROM item WHERE';

/** The rows of the run with this id and these numbers, to settle them. */
export function* flightsAt(run: string, numbers: readonly number[]): Steps<readonly Flight[]> {
  return (yield* queryList(`${flightsWhere} ${ofRun} AND n IN ($list)`, [run], numbers)).map(flightIn);
}

/** The same, without the people. */
export function* textsAt(run: string, numbers: readonly number[]): Steps<readonly ItemText[]> {
  return (yield* queryList(`${textsWhere} ${ofRun} AND n IN ($list)`, [run], numbers)).map(itemTextIn);
}

/** The rows of a run with these numbers. */
export function* itemsAt(run: number, numbers: readonly number[]): Steps<readonly Item[]> {
  return (yield* queryList(`${itemsWhere} run = $1 AND n IN ($list)`, [run], numbers)).map(itemIn);
}

/** Rows that are read together: few, because reading blocks those that write. */
export const pageSize = 500;

/** The next rows of a run. */
export function* itemsAfter(run: number, n: number, limit = pageSize): Steps<readonly Item[]> {
  const rows = yield* query(`${itemsWhere} run = $1 AND n > $2 ORDER BY n LIMIT $3`, run, n, limit);
  return rows.map(itemIn);
}

/** When one of the first rows of a run changed last, of those whose outcome is known. */
export function* oldestChange(run: number, rows: number): Steps<number> {
  const open = ['unsure', 'leaving'] as const;
  const [found] = yield* query(
    `SELECT min(at) AS at FROM (SELECT at, state FROM item WHERE run = $1 ORDER BY n LIMIT $2) AS first_rows
    WHERE state NOT IN (${open.map(codeOf).join(', ')})`,
    run,
    rows,
  );
  return Number(found?.['at'] ?? Infinity);
}

/** The rows of these people in all runs but one. */
export function* itemsOf(people: readonly Uint8Array[], except: number): Steps<readonly Item[]> {
  return (yield* queryList(`${itemsWhere} run <> $1 AND who IN ($list)`, [except], people)).map(itemIn);
}

/** The outcomes of these people in all runs but one. */
export function* outcomesOf(people: readonly Uint8Array[], except: number): Steps<readonly (ReportedRow & Item)[]> {
  const columns = 'run, n, who, per, text, state, at, tick, owner, line, retried_at, message_id, code, reason';
  const sql = `SELECT ${columns} FROM item WHERE run <> $1 AND who IN ($list)`;
  return (yield* queryList(sql, [except], people)).map((row) => ({ ...reportIn(row), ...itemIn(row) }));
}

export function* sentSince(account: string, at: number): Steps<number> {
  const sql = `SELECT count(*) AS messages FROM item JOIN run ON run.n = item.run
    WHERE account = $1 AND mode = 'live' AND kind = 'message' AND state = $2 AND at >= $3`;
  const [row] = yield* query(sql, account, states.indexOf('done'), at);
  return Number(row?.['messages'] ?? 0);
}

const reportsWhere = 'SELECT n, state, at, line, message_id, code, reason FROM item WHERE';

/** The next rows of a run, with what became of them. */
export function* reportsAfter(run: number, n: number): Steps<readonly ReportedRow[]> {
  const rows = yield* query(`${reportsWhere} run = $1 AND n > $2 ORDER BY n LIMIT $3`, run, n, pageSize);
  return rows.map(reportIn);
}

export function* reportsAt(run: number, numbers: readonly number[]): Steps<readonly ReportedRow[]> {
  return (yield* queryList(`${reportsWhere} run = $1 AND n IN ($list)`, [run], numbers)).map(reportIn);
}

/** The next rows of the input that a run does not have, up to a line. */
export function* unsentAfter(run: number, line: number, last = Number.MAX_SAFE_INTEGER): Steps<readonly ReportedRow[]> {
  const rows = yield* query(
    'SELECT line, code, reason FROM unsent WHERE run = $1 AND line > $2 AND line <= $3 ORDER BY line LIMIT $4',
    run,
    line,
    last,
    pageSize,
  );
  return rows.map(reportIn);
}

export function* addUnsent(run: number, { line, code, reason }: UnsentRow): Steps<void> {
  const known = 'ON CONFLICT (run, line) DO UPDATE SET code = excluded.code, reason = excluded.reason';
  yield* insert('unsent', { run, line, code, reason: reason ?? null }, known);
}

/** Removes some of the rows that a run does not have; returns whether there are more. */
export function* removeUnsent(run: number, most: number): Steps<boolean> {
  const some = 'SELECT line FROM unsent WHERE run = $1 ORDER BY line LIMIT $2';
  return (yield* query(`DELETE FROM unsent WHERE run = $1 AND line IN (${some}) RETURNING line`, run, most)).length > 0;
}

/** Records that a row is on another line now, or says something else. */
export function* moveRow(run: number, n: number, line: number | undefined, text: Uint8Array | undefined): Steps<void> {
  const sql = 'UPDATE item SET line = coalesce($3, line), text = coalesce($4, text) WHERE run = $1 AND n = $2';
  yield* query(sql, run, n, line ?? null, text ?? null);
}

/** The largest number of a row of the run with this id. */
export function* lastNumber(run: string): Steps<number> {
  const [row] = yield* query(`SELECT coalesce(max(n), 0) AS n FROM item WHERE ${ofRun}`, run);
  return Number(row?.['n']);
}

export type NewItem = Omit<Item, 'at' | 'tick' | 'retriedAt'>;

/** Returning their numbers would double the time of a registration, which adds up to a million. */
const addingItem = `INSERT INTO item (run, n, who, per, text, state, at, tick, owner, line)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (who, per, run) DO NOTHING`;

/** Adds rows to a run, unless it has them. */
export function* addItems(items: readonly NewItem[], { tick, now }: Moment): Steps<void> {
  const valuesOf = ({ run, n, who, per, text, state, owner, line }: NewItem) =>
    [run, n, who, per, text, codeOf(state), now, tick, owner ?? null, line ?? null] as const;
  yield { sql: addingItem, each: items.map(valuesOf) };
}

/** The number of rows of a run after this one. */
export function* countAfter(run: number, n: number): Steps<number> {
  const [row] = yield* query('SELECT count(*) AS count FROM item WHERE run = $1 AND n > $2', run, n);
  return Number(row?.['count']);
}

/** The number of a row in its run. */
export function* numberOf({ run, who, per }: Pick<Item, 'run' | 'who' | 'per'>): Steps<number> {
  const [row] = yield* query('SELECT n FROM item WHERE who = $1 AND per = $2 AND run = $3', who, per, run);
  return Number(row?.['n']);
}

/** Counts rows that were added to a run. */
export function* countAdded(run: number, counts: Counts, now?: number): Steps<void> {
  yield* addToRun(run, counts, now === undefined ? {} : { now, isWork: true });
}

/** Columns to change besides the state of a row. */
export interface Also {
  /** The process that claims it. */
  readonly owner?: string;
  readonly retried_at?: number | null;
  readonly code?: string | null;
  readonly reason?: string | null;
}

type Moved = Pick<Item, 'run' | 'n' | 'state'>;

/** Moves rows that were read in the same transaction, and counts them. `resumesAt`: when the hours of a run begin again. */
export function* moveItems(
  items: readonly Moved[],
  event: Event,
  at: Moment,
  also: Also = {},
  resumesAt?: number,
): Steps<void> {
  if (items.length === 0) return;
  const { from, to } = moveOf(event);
  // The answer about an unsure row is as old as its request.
  const when = event === 'sent' || event === 'not-sent' ? {} : { at: at.now };
  const values = { ...when, tick: at.tick, owner: null, ...also };
  const set = Object.keys(values).map((name, place) => `${name} = $${place + 2}`);
  const activity = event === 'withdraw' ? {} : { now: at.now, resumesAt, isWork: event === 'claim' };
  for (const [run, own] of byRun(items)) {
    yield* queryList(
      `UPDATE item SET state = ${codeOf(to)}, ${set.join(', ')}
      WHERE run = $1 AND state IN (${from.map(codeOf).join(', ')}) AND n IN ($list)`,
      [run, ...Object.values(values)],
      own.map(({ n }) => n),
    );
    yield* addToRun(run, countsOf(own, event), activity);
  }
}

function byRun<T extends Pick<Item, 'run'>>(items: readonly T[]): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(item.run);
    if (group) group.push(item);
    else groups.set(item.run, [item]);
  }
  return groups;
}

/** The outcome of a row that was read in the same transaction. */
export interface Outcome {
  readonly item: Flight;
  readonly settled: Settled;
}

/** Records and counts outcomes of one kind. A row that was to be sent once more, and was not, may be tried again. */
export function* settleAs(event: Settlement, outcomes: readonly Outcome[], { tick, now }: Moment): Steps<void> {
  const valuesOf = ({ item: { run, n }, settled }: Outcome) => {
    const { outcome, line = null, id = null, code = null, reason = null } = settled;
    return [run, n, now, tick, line, id, code, reason, Number(outcome === 'release')] as const;
  };
  yield { sql: settling[event], each: outcomes.map(valuesOf) };
  const items = outcomes.map(({ item }) => item);
  for (const [run, own] of byRun(items)) yield* addToRun(run, countsOf(own, event), { now, isWork: true });
}

const settling: Readonly<Record<Settlement, string>> = {
  done: settlingTo('done'),
  failed: settlingTo('failed'),
  unsure: settlingTo('unsure'),
  release: settlingTo('release'),
  withdraw: settlingTo('withdraw'),
};

function settlingTo(outcome: Settlement): string {
  const { from, to } = moveOf(outcome);
  // The process that left a row unsure may still learn its outcome.
  const owner = to === 'unsure' ? 'owner' : 'NULL';
  return `UPDATE item SET state = ${codeOf(to)}, at = $3, tick = $4, owner = ${owner}, line = coalesce($5, line),
      message_id = $6, code = $7, reason = $8, retried_at = CASE WHEN $9 = 1 THEN 0 ELSE retried_at END
    WHERE run = $1 AND n = $2 AND state IN (${from.map(codeOf).join(', ')})`;
}

/** By how much moves of rows change the counts of their run. */
function countsOf(items: readonly Pick<Item, 'state'>[], event: Event): Counts {
  const counts: Partial<Record<State, number>> = {};
  for (const { state: before } of items) {
    const after = next(before, event);
    if (after === before) continue;
    counts[before] = (counts[before] ?? 0) - 1;
    counts[after] = (counts[after] ?? 0) + 1;
  }
  return counts;
}

/** The rows in flight of a process that ended become unsure, since their claim; returns how many there were. */
export function* abandonItems({ id, run }: Pick<KnownOwner, 'id' | 'run'>, { tick }: Moment): Steps<number> {
  const [counts] = yield* query('SELECT leaving FROM run WHERE n = $1', run);
  // It would look at all rows of the run.
  if (!counts || counts['leaving'] === 0) return 0;
  const rows = yield* query(
    `UPDATE item SET state = ${codeOf('unsure')}, tick = $3, code = 'killed', reason = $4
    WHERE run = $1 AND owner = $2 AND state = ${codeOf('leaving')} RETURNING n`,
    run,
    id,
    tick,
    'the process ended while it was being sent',
  );
  if (rows.length > 0) yield* addToRun(run, { leaving: -rows.length, unsure: rows.length }, { isWork: true });
  return rows.length;
}

/** Removes rows that were read in the same transaction. */
export function* removeItems(items: readonly Item[]): Steps<void> {
  for (const [run, own] of byRun(items)) {
    const numbers = own.map(({ n }) => n);
    yield* queryList('DELETE FROM item WHERE run = $1 AND n IN ($list)', [run], numbers);
  }
  yield* uncount(items);
}

/** Removes the rows of people; returns them. */
export function* removePeople(
  column: 'who' | 'per',
  people: readonly Uint8Array[],
  kind: string,
): Steps<readonly Item[]> {
  const rows = yield* queryList(
    `DELETE FROM item WHERE run IN (SELECT n FROM run WHERE kind = $1) AND ${column} IN ($list) RETURNING *`,
    [kind],
    people,
  );
  const items = rows.map(itemIn);
  yield* uncount(items);
  return items;
}

function* uncount(items: readonly Item[]): Steps<void> {
  for (const [run, own] of byRun(items)) {
    const counts: Partial<Record<State, number>> = {};
    for (const { state } of own) counts[state] = (counts[state] ?? 0) - 1;
    yield* addToRun(run, counts);
  }
}

/** Finds a run that counts its rows wrong. */
export function* countProblem(): Steps<string | undefined> {
  const counted = yield* query('SELECT run, state, count(*) AS count FROM item GROUP BY run, state');
  for (const run of yield* allRuns()) {
    const own = counted.filter((row) => row['run'] === run.n);
    const count = (state: State) => Number(own.find((row) => row['state'] === codeOf(state))?.['count'] ?? 0);
    if (states.some((state) => run.counts[state] !== count(state))) return `run ${run.id} counts its rows wrong`;
  }
  return undefined;
}

type Values = Readonly<Record<string, Value>>;

function insert(table: string, values: Values, more: string): Steps<readonly Row[]> {
  const names = Object.keys(values);
  const places = names.map((_, at) => `$${at + 1}`).join(', ');
  return query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places}) ${more}`, ...Object.values(values));
}

function update(table: string, which: Values, values: Values): Steps<readonly Row[]> {
  const [keys, names] = [Object.keys(which), Object.keys(values)];
  const where = keys.map((name, at) => `${name} = $${at + 1}`).join(' AND ');
  const set = names.map((name, at) => `${name} = $${keys.length + at + 1}`).join(', ');
  return query(`UPDATE ${table} SET ${set} WHERE ${where}`, ...Object.values(which), ...Object.values(values));
}

/** The length of a short list, and of a long one. */
const [few, many] = [16, 256] as const;

/** The texts of statements with lists, because making one takes as long as running it. */
const listTexts = { [few]: new Map<string, string>(), [many]: new Map<string, string>() };

/** Repeats a statement for the parts of a list. A part repeats its last value, so that few statements are prepared. */
function* queryList(
  sql: string,
  values: readonly Value[],
  list: readonly (number | Uint8Array)[],
): Steps<readonly Row[]> {
  const size = list.length > few ? many : few;
  const text = listTexts[size].get(sql) ?? listText(sql, values.length, size);
  const rows: Row[] = [];
  for (let from = 0; from < list.length; from += size) {
    const part = Array.from({ length: size }, (_, at) => list[Math.min(from + at, list.length - 1)] ?? null);
    rows.push(...(yield* query(text, ...values, ...part)));
  }
  return rows;
}

function listText(sql: string, before: number, size: typeof few | typeof many): string {
  const placeholders = Array.from({ length: size }, (_, at) => `$${before + at + 1}`).join(', ');
  const text = sql.replace('$list', placeholders);
  listTexts[size].set(sql, text);
  return text;
}
