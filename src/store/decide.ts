import { type Database, query, type Row, type Value } from '../base/transaction.ts';
import type { Batch } from './batch.ts';
import { nameAt, parameters, reasons, textAt, timeAt, unwanted, verdict } from './before.ts';
import { integer, optionalText, type Steps, text, word } from './columns.ts';
import type { Draft } from './draft.ts';
import { hashLength, isUnique } from './schema.ts';

/** The outcome for a row of the file; `others` are rows that wait and are not in it. */
const fates = [
  'waiting',
  'resend',
  'sent',
  'on its way',
  'unsure elsewhere',
  'another text',
  'changed',
  'changed before',
  'unsure',
  'failed',
  'failed before',
  'opted out',
  'excluded',
  'unwanted',
  'twice',
  'twice, another text',
  'cancelled',
  'others',
] as const;

export type Fate = (typeof fates)[number];

/** Options that count for one command. */
export type Resend = 'changed' | 'unsure' | 'failed';

export interface Plan {
  readonly draft: Draft;
  /** The file of the command, or `batch NAME`; '' for stdin. */
  readonly file: string;
  /** When `--again` was first used; otherwise 0. */
  readonly againAt: number;
  readonly resend: readonly Resend[];
  /** Whether `--no-exclude-from` drops the kept phones. */
  readonly dropsExcluded: boolean;
  readonly now: number;
}

/** A row that is decided again by each load. */
export function isOpen(row: string, againAt: string): string {
  return `(${row}.state IN ('waiting', 'held', 'not sent') OR ${isTakenBack(row, againAt)})`;
}

/** It was sent by another batch before `--again`. */
function isTakenBack(row: string, againAt: string): string {
  return `(${row}.state = 'sent' AND ${row}.by IS NOT NULL AND ${row}.at < ${againAt})`;
}

/**
 * Rows of a file, `d`, and the rows of the batch for the same people, `o`. After the parameters of `verdict`: $9 draft,
 * $10 to $12 `flags`, $13 batch.
 */
const loaded = (
  more = '',
) => `SELECT d.who, d.per, d.text, d.line${more}, o.at, CASE WHEN o.state = 'sent' THEN o.by END AS by, CASE
  WHEN d.state = 'twice' THEN CASE WHEN EXISTS (
    SELECT 1 FROM item f WHERE f.batch = $9 AND f.who = d.who AND f.per = d.per AND ${isUnique('f')} AND f.text = d.text
  ) THEN 'twice' ELSE 'twice, another text' END
  WHEN o.state = 'cancelled' THEN 'cancelled'
  WHEN o.state = 'failed' AND $10 = 0 AND o.cells = d.cells AND o.text = d.text THEN 'failed before'
  WHEN o.state IN ('unsure', 'under way') THEN CASE WHEN $11 = 1 AND d.state = 'waiting' THEN 'resend' ELSE 'unsure' END
  WHEN o.state = 'sent' AND NOT ${isTakenBack('o', '$4')} THEN CASE
    WHEN o.text = d.text THEN 'sent'
    WHEN $12 = 1 AND d.state = 'waiting' THEN 'resend'
    WHEN o.told = d.text THEN 'changed before'
    ELSE 'changed' END
  WHEN d.state = 'failed' THEN 'failed'
  WHEN d.state = 'not sent' THEN 'unwanted'
  END AS fate
  FROM item d LEFT JOIN item o ON o.batch = $13 AND o.who = d.who AND o.per = d.per AND ${isUnique('o')}
  WHERE d.batch = $9`;

/** Rows of a batch that goes on without a file. After the parameters of `verdict`: $9 batch, $10 and $11 `flags`. */
const stored = (
  more = '',
) => `SELECT d.who, d.per, d.text, d.line${more}, d.at, CASE WHEN d.state = 'sent' THEN d.by END AS by, CASE
  WHEN d.state IN ('twice', 'cancelled') THEN d.state
  WHEN d.state = 'failed' AND ($10 = 0 OR d.code IS NULL) THEN 'failed before'
  WHEN d.state IN ('unsure', 'under way') THEN CASE WHEN $11 = 1 THEN 'resend' ELSE 'unsure' END
  WHEN d.state = 'sent' AND NOT ${isTakenBack('d', '$4')} THEN 'sent'
  WHEN d.reason = '${unwanted}' THEN 'unwanted'
  END AS fate FROM item d WHERE d.batch = $9`;

// Materialized, because SQLite would otherwise ask for the verdict again for each use of it.
const grouped = (rows: string) => `WITH fate AS MATERIALIZED (${rows}), decided AS MATERIALIZED (
  SELECT f.fate, f.by, f.at, f.text, f.line, CASE WHEN f.fate IS NULL THEN ${verdict('f', { isClaim: false })} END AS verdict
  FROM fate f
), named AS (
  SELECT CASE
    WHEN fate IS NOT NULL THEN fate
    WHEN verdict IS NULL THEN 'waiting'
    WHEN verdict = '${reasons.optedOut}' THEN 'opted out'
    WHEN verdict = '${reasons.excluded}' THEN 'excluded'
    WHEN substr(verdict, 1, 1) = '${reasons.way}' THEN 'on its way'
    WHEN substr(verdict, 1, 1) = '${reasons.unsure}' THEN 'unsure elsewhere'
    WHEN substr(verdict, 1, 1) = '${reasons.other}' THEN 'another text'
    WHEN substr(verdict, ${textAt}, ${hashLength}) = text THEN 'sent'
    ELSE 'changed' END AS fate,
    CASE WHEN fate IS NOT NULL THEN by WHEN length(verdict) > 1 THEN substr(verdict, ${nameAt}) END AS by,
    CASE WHEN length(verdict) > 1 THEN CAST(substr(verdict, ${timeAt}, ${textAt - timeAt}) AS BIGINT)
      ELSE COALESCE(at, 0) END AS at, line
  FROM decided
) SELECT fate, by, COUNT(*) AS count, MAX(at) AS at, MIN(line) AS line FROM named GROUP BY fate, by`;

/** After the parameters of `verdict`: $9 draft, $10 batch. */
const others = `SELECT 'others' AS fate, NULL AS by, COUNT(*) AS count, 0 AS at, 0 AS line FROM item i
  WHERE i.batch = $10 AND ${isOpen('i', '$4')} AND (i.reason IS NULL OR i.reason <> '${unwanted}')
  AND NOT EXISTS (SELECT 1 FROM item d WHERE d.batch = $9 AND d.who = i.who AND d.per = i.per AND ${isUnique('d')})
  AND ${verdict('i', { isClaim: false })} IS NULL`;

const sampled = (rows: string) => `SELECT f.body FROM (${rows}) f
  WHERE f.body IS NOT NULL AND (f.fate = 'resend' OR (f.fate IS NULL AND ${verdict('f', { isClaim: false })} IS NULL))`;

const load = grouped(loaded());
// Most rows of a batch that goes on are sent: only the others need a verdict.
const resume = `${grouped(`SELECT * FROM (${stored()}) d WHERE fate IS NULL`)}
  UNION ALL SELECT fate, by, COUNT(*), MAX(at), MIN(line) FROM (${stored()}) d WHERE fate IS NOT NULL GROUP BY fate, by`;
const loadedSample = sampled(loaded(', d.body'));
const storedSample = sampled(stored(', d.body'));

/** Decides what a load would do, without writing: for the question and for a dry run. */
export function decide(database: Database, plan: Plan): Promise<readonly Group[]> {
  const { id, target } = plan.draft;
  return database.read(function* () {
    const rows = yield* query(load, ...loadValues(plan));
    const more = target ? yield* query(others, ...askedBy(plan), id, target.id) : [];
    return [...rows, ...more].map(groupOf).filter(({ count }) => count > 0);
  });
}

/** The bodies of some rows that a load would send. */
export function samplesToSend(database: Database, plan: Plan, count: number): Promise<readonly string[]> {
  return database.read(() => bodies(`${loadedSample} LIMIT $14`, [...loadValues(plan), count]));
}

function loadValues(plan: Plan): readonly Value[] {
  const { id, target } = plan.draft;
  return [...askedBy(plan), id, ...flags(plan.resend), target?.id ?? '-'];
}

function askedBy({ draft, againAt, dropsExcluded, now }: Plan): readonly Value[] {
  const { id, scope, scopeNumber, target } = draft;
  const batch = { id: target?.id ?? id, scope, scopeNumber, againAt };
  return parameters({ batch, now, excludedBy: [id, target && !dropsExcluded ? target.id : id] });
}

/** A batch that goes on with its stored rows. */
export interface Stored {
  readonly batch: Batch;
  readonly resend: readonly Resend[];
  readonly now: number;
}

/** Decides what a resume would do. */
export function decideResume(database: Database, going: Stored): Promise<readonly Group[]> {
  return database.read(function* () {
    return (yield* query(resume, ...resumeValues(going))).map(groupOf);
  });
}

/** The bodies of some rows that a resume would send. */
export function samplesToResume(database: Database, going: Stored, count: number): Promise<readonly string[]> {
  return database.read(() => bodies(`${storedSample} LIMIT $12`, [...resumeValues(going), count]));
}

function resumeValues({ batch, resend, now }: Stored): readonly Value[] {
  const [failed, unsure] = flags(resend);
  return [...parameters({ batch, now, excludedBy: [batch.id, batch.id] }), batch.id, failed, unsure];
}

function* bodies(sql: string, values: readonly Value[]): Steps<readonly string[]> {
  return (yield* query(sql, ...values)).map((row) => text(row, 'body'));
}

export function flags(resend: readonly Resend[]): readonly [failed: number, unsure: number, changed: number] {
  const flag = (word: Resend) => (resend.includes(word) ? 1 : 0);
  return [flag('failed'), flag('unsure'), flag('changed')];
}

export type Group = Readonly<ReturnType<typeof groupOf>>;

function groupOf(row: Row) {
  return {
    fate: word(row, 'fate', fates),
    /** The batch that has these people, '' for single messages; undefined for this batch. */
    by: optionalText(row, 'by'),
    count: integer(row, 'count'),
    /** When the last of the other messages was sent. */
    at: integer(row, 'at'),
    /** The line of the first one. */
    line: integer(row, 'line'),
  };
}
