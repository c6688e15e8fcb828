import { isProcessAlive, type Probe } from '../base/liveness.ts';
import type { Row, Transaction, Value } from '../base/transaction.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { Mode } from '../contract/keys.ts';

/** The facts of a call before it is sent, without the key, the whole recipient and params. */
export interface Facts {
  readonly profile: string;
  readonly mode: Mode | 'unknown';
  /** Whether it goes to the sandbox on this machine. */
  readonly simulated: boolean;
  readonly host: string;
  readonly command: string;
  readonly method: string;
  readonly endpoint: string;
  /** Masked. */
  readonly recipient?: string | undefined;
  readonly template?: string | undefined;
  /** The id of an import or a batch. */
  readonly run?: string | undefined;
}

interface Start extends Facts {
  readonly at: number;
  readonly pid: number;
  /** Distinguishes the process from a later one with the same pid. */
  readonly start: string | undefined;
}

export interface Result {
  /** `partial`: some rows of a run failed; `refused` by the service; `failed` before it reached the service. */
  readonly outcome: 'done' | 'partial' | 'refused' | 'unsure' | 'failed' | 'interrupted';
  readonly message_id?: string | undefined;
  readonly status?: number | undefined;
  /** The code of the failure. */
  readonly code?: string | undefined;
  readonly counts?: Counts | undefined;
}

/** The rows of a run. */
export interface Counts {
  readonly rows: number;
  readonly done: number;
  readonly failed: number;
  readonly unsure: number;
  readonly unsent: number;
}

/** A recorded call. */
export interface Call extends Readonly<Record<keyof Omit<Facts, 'simulated'>, string | null>> {
  readonly id: number;
  readonly at: number;
  readonly pid: number;
  readonly start: string | undefined;
  readonly simulated: boolean;
  /** Null while it is under way, and if its process died. */
  readonly outcome: string | null;
  readonly message_id: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly counts: Counts | null;
}

const startColumns = [
  'at',
  'pid',
  'start',
  'profile',
  'mode',
  'simulated',
  'host',
  'command',
  'method',
  'endpoint',
  'recipient',
  'template',
  'run',
] as const satisfies readonly (keyof Start)[];
const insert = `INSERT INTO activity (${startColumns.join(', ')})
  VALUES (${startColumns.map((_, at) => `$${at + 1}`).join(', ')}) RETURNING id`;

/** Records that a call starts; returns its id. */
export function begin(call: Start): Transaction<number> {
  return function* () {
    const [row] = yield { sql: insert, values: startColumns.map((name) => stored(call[name])) };
    return Number(row?.['id']);
  };
}

/** Calls to keep. */
const most = 100_000;

/** Records the result of a call, and forgets the oldest calls. */
export function end(
  { id, pid }: Pick<Call, 'id' | 'pid'>,
  at: number,
  { outcome, message_id, status, code, counts }: Result,
): Transaction<void> {
  const { rows, done, failed, unsure, unsent }: Partial<Counts> = counts ?? {};
  const values = [id, pid, at, outcome, message_id, status, code, rows, done, failed, unsure, unsent];
  return function* () {
    yield {
      // If the log was damaged and starts again, another process may have this id.
      sql: `UPDATE activity SET ended_at = $3, outcome = $4, message_id = $5, status = $6, code = $7,
        rows = $8, done = $9, failed = $10, unsure = $11, unsent = $12 WHERE id = $1 AND pid = $2`,
      values: values.map(stored),
    };
    yield { sql: 'DELETE FROM activity WHERE id <= $1', values: [id - most] };
  };
}

function stored(value: string | number | boolean | undefined): Value {
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
}

/** The calls before one, the newest first (default: of all). */
export function callsBefore(id = Number.MAX_SAFE_INTEGER, limit = 500): Transaction<readonly Call[]> {
  return calls('WHERE id < $1 ORDER BY id DESC LIMIT $2', [id, limit]);
}

/** The calls after one, the oldest first. */
export function callsAfter(id: number): Transaction<readonly Call[]> {
  return calls('WHERE id > $1 ORDER BY id LIMIT 500', [id]);
}

function calls(which: string, values: readonly Value[]): Transaction<readonly Call[]> {
  return function* () {
    const rows = yield { sql: `SELECT * FROM activity ${which}`, values };
    return rows.map(callIn);
  };
}

function callIn(row: Row): Call {
  const text = (name: string) => (row[name] === null ? null : String(row[name]));
  const count = (name: keyof Counts) => Number(row[name]);
  return {
    id: Number(row['id']),
    at: Number(row['at']),
    pid: Number(row['pid']),
    start: text('start') ?? undefined,
    profile: text('profile'),
    mode: text('mode'),
    simulated: row['simulated'] === 1,
    host: text('host'),
    command: text('command'),
    method: text('method'),
    endpoint: text('endpoint'),
    recipient: text('recipient'),
    template: text('template'),
    run: text('run'),
    outcome: text('outcome'),
    message_id: text('message_id'),
    status: row['status'] === null ? null : Number(row['status']),
    code: text('code'),
    counts:
      row['rows'] === null
        ? null
        : {
            rows: count('rows'),
            done: count('done'),
            failed: count('failed'),
            unsure: count('unsure'),
            unsent: count('unsent'),
          },
  };
}

/** The outcome of a call. If its process died before it ended, the call may have been done. */
export function outcomeOf({ outcome, at, pid, start }: Call, { kill, now }: { kill: Probe; now(): number }): string {
  return outcome ?? (isProcessAlive(pid, start, kill, () => now() - at) ? 'under way' : 'unsure');
}

/**
 * The live messages that were sent from this machine since the month began, in UTC, with one profile. It is a lower
 * bound: a killed run has not recorded how many it sent, and other machines have logs of their own.
 */
export function messagesThisMonth(
  { profile, host }: Pick<Facts, 'profile' | 'host'>,
  now: number,
): Transaction<number> {
  const today = new Date(now);
  const month = Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
  return function* () {
    const [row] = yield {
      sql: `SELECT sum(coalesce(done, outcome = 'done')) AS messages FROM activity
        WHERE at >= $1 AND profile = $2 AND host = $3 AND mode <> 'sandbox' AND endpoint LIKE '%' || $4`,
      values: [month, profile, host, endpoints.sendTemplate.path],
    };
    return Number(row?.['messages']);
  };
}

/** The templates of all calls. */
export const templatesOfCalls: Transaction<readonly string[]> = function* () {
  const rows = yield { sql: 'SELECT DISTINCT template FROM activity WHERE template IS NOT NULL', values: [] };
  return rows.map(({ template }) => String(template));
};
