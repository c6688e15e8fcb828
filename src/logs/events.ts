import { query, type Row, type Transaction, type Value } from '../base/transaction.ts';

/** A request that delivers an event. */
export interface Delivery {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Names and values as received, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The sender's address. */
  readonly remote: string;
  /** The port of the listener. */
  readonly port: number;
}

/** A recorded delivery. */
export interface Received extends Delivery {
  readonly id: string;
  /** The number in the id. Later events have larger ones. */
  readonly number: number;
  readonly received_at: number;
  /** Where its listener forwards it. */
  readonly forward_to: string | undefined;
}

export interface Recording {
  readonly delivery: Delivery;
  readonly at: number;
  readonly forwardTo: string | undefined;
}

/** Records events. Returns the number of the first, which is larger than `after` even in a new file. */
export function recordEvents(all: readonly Recording[], after: number): Transaction<number> {
  return function* () {
    const first = Math.max(after, yield* newestEvent()) + 1;
    yield {
      sql: insertion,
      each: all.map(({ delivery: { method, path, headers, remote, port, body }, at, forwardTo = null }, index) => {
        return [first + index, at, method, path, JSON.stringify(headers), remote, port, forwardTo, body];
      }),
    };
    return first;
  };
}

const insertion = `INSERT INTO event (id, at, method, path, headers, remote, port, forward_to, body)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** The number of the newest event, also of a deleted one. */
export const newestEvent: Transaction<number> = function* () {
  const [row] = yield* query("SELECT seq FROM sqlite_sequence WHERE name = 'event'");
  return Number(row?.['seq'] ?? 0);
};

/** Events in a page: few, because each may have some MiB. */
const mostEvents = 16;

/** The next events after this number, oldest first. */
export function eventsAfter(number: number): Transaction<readonly Received[]> {
  return events('id > $1', [number]);
}

/** The events before this number (default: all), newest first. */
export function eventsBefore(number = Number.MAX_SAFE_INTEGER): Transaction<readonly Received[]> {
  return events('id < $1', [number], 'DESC');
}

/** The newest events with a header like this value. */
export function eventsWithHeader(value: string): Transaction<readonly Received[]> {
  return events('instr(headers, $1) > 0', [JSON.stringify(value)], 'DESC');
}

/** The event with this number. */
export function eventWith(number: number): Transaction<readonly Received[]> {
  return events('id = $1', [number]);
}

/** The numbers of the newest five events whose number begins with these digits. */
export function numbersLike(digits: string): Transaction<readonly number[]> {
  const sql = "SELECT id FROM event WHERE id LIKE $1 || '%' ORDER BY id DESC LIMIT 5";
  return function* () {
    return (yield* query(sql, digits)).map(({ id }) => Number(id));
  };
}

/** A page of events. */
function events(
  condition: string,
  values: readonly Value[],
  order: 'ASC' | 'DESC' = 'ASC',
): Transaction<readonly Received[]> {
  const sql = `SELECT * FROM event WHERE ${condition} ORDER BY id ${order} LIMIT ${mostEvents}`;
  return function* () {
    return (yield* query(sql, ...values)).map(receivedIn);
  };
}

function receivedIn({ id, at, method, path, headers, remote, port, forward_to: to, body }: Row): Received {
  return {
    id: eventId(Number(id)),
    number: Number(id),
    received_at: Number(at),
    method: String(method),
    path: String(path),
    headers: headersIn(String(headers)),
    remote: String(remote),
    port: Number(port),
    forward_to: typeof to === 'string' ? to : undefined,
    body: body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : Buffer.alloc(0),
  };
}

export function eventId(number: number): string {
  return `e${number}`;
}

function headersIn(json: string): Received['headers'] {
  const headers: unknown = JSON.parse(json);
  return areHeaders(headers) ? headers : [];
}

/** Does not check each header, which would take longer than parsing them: bizmsg wrote them itself. */
function areHeaders(value: unknown): value is Received['headers'] {
  return Array.isArray(value);
}

export const countEvents: Transaction<number> = function* () {
  const [row] = yield* query('SELECT count(*) AS events FROM event');
  return Number(row?.['events']);
};

const week = 7 * 24 * 60 * 60_000;
const mebibyte = 1024 * 1024;
/** Bytes that the logs may take. */
const mostStored = 256 * mebibyte;
/** Events and bytes to delete in one transaction. */
const [mostAtOnce, mostDeleted] = [500, 4 * mebibyte];

/** Deletes some of the events that are a week old, or exceed the size limit. Returns how many. */
export function deleteOld(now: number, most = mostStored): Transaction<number> {
  return function* () {
    const size = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
    const [row] = yield* query(size);
    const excess = Number(row?.['bytes']) - most;
    return yield* deleteOldest('at < $1 OR before < $2', now - week, Math.min(excess, mostDeleted));
  };
}

/** Deletes the events with these numbers. */
export function deleteEvents(numbers: readonly number[]): Transaction<void> {
  return function* () {
    yield { sql: 'DELETE FROM event WHERE id IN (SELECT value FROM json_each($1))', values: [JSON.stringify(numbers)] };
  };
}

/** Deletes some of the events up to this number. Returns how many. */
export function deleteUpTo(number: number): Transaction<number> {
  return () => deleteOldest('id <= $1 AND before < $2', number, mostDeleted);
}

/** Deletes the oldest events while they meet the condition; `before` is the size of those before it. */
function* deleteOldest(condition: string, ...values: readonly Value[]) {
  const sizes = `SELECT id, at, sum(length(body) + length(headers)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)
      - length(body) - length(headers) AS before FROM event ORDER BY id LIMIT ${mostAtOnce}`;
  const deletion = `DELETE FROM event WHERE id <= (SELECT max(id) FROM (${sizes}) WHERE ${condition}) RETURNING id`;
  return (yield* query(deletion, ...values)).length;
}
