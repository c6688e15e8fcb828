import type { Row, Statement, Transaction, Value } from '../base/transaction.ts';

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
}

/** Where to forward an event. The events of one lane are forwarded in order. */
export interface Destination {
  readonly url: string;
  readonly lane: string;
}

export interface Recording {
  readonly delivery: Delivery;
  readonly at: number;
  readonly destination: Destination | undefined;
}

/**
 * Records the events of a listener, and where they have to be forwarded. Returns the largest number. `after` is the
 * largest number so far: in a new file, numbers continue from it.
 */
export function recordEvents(listener: string, all: readonly Recording[], after: number): Transaction<number> {
  return function* () {
    const number = yield* insertAll(listener, all);
    if (number > after) return number;
    yield { sql: 'DELETE FROM event WHERE id > $1', values: [number - all.length] };
    yield { sql: "UPDATE sqlite_sequence SET seq = $1 WHERE name = 'event'", values: [after] };
    return yield* insertAll(listener, all);
  };
}

function* insertAll(listener: string, all: readonly Recording[]): Generator<Statement, number, readonly Row[]> {
  let number = 0;
  for (const [at, one] of all.entries()) {
    const { at: time, delivery, destination } = one;
    const { method, path, headers, remote, port, body } = delivery;
    const values = [time, listener, method, path, JSON.stringify(headers), remote, port, body];
    const isLast = at === all.length - 1;
    // Returning rows takes as long as inserting them.
    const [row] = yield { sql: isLast ? `${insertion} RETURNING id` : insertion, values };
    number = Number(row?.['id']);
    if (destination) yield { sql: insertPending, values: [listener, destination.url, destination.lane] };
  }
  return number;
}

const insertion = `INSERT INTO event (at, listener, method, path, headers, remote, port, body)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
const insertPending = 'INSERT INTO pending (event, listener, url, lane) VALUES (last_insert_rowid(), $1, $2, $3)';

/** Events in a page, and bytes of their bodies. */
const [mostEvents, mostBytes] = [128, 1024 * 1024];

/** The next events after this number, oldest first: of one listener, or of all. */
export function eventsAfter(number: number, listener?: string): Transaction<readonly Received[]> {
  if (listener === undefined) return events('id > $1', [number]);
  return events('id > $1 AND listener = $2', [number, listener]);
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

/** The numbers of some events whose number begins with these digits. */
export function numbersLike(digits: string, limit: number): Transaction<readonly number[]> {
  const sql = "SELECT id FROM event WHERE id LIKE $1 || '%' ORDER BY id DESC LIMIT $2";
  return function* () {
    return (yield { sql, values: [digits, limit] }).map(({ id }) => Number(id));
  };
}

/** The events that a listener still has to forward, after this number. */
export function pendingEvents(number: number, listener: string): Transaction<readonly Received[]> {
  const some = `SELECT event FROM pending WHERE event > $1 AND listener = $2 ORDER BY event LIMIT ${mostEvents}`;
  return events(`id IN (${some})`, [number, listener]);
}

/** A page of events; one by one if they are large. */
function events(
  condition: string,
  values: readonly Value[],
  order: 'ASC' | 'DESC' = 'ASC',
): Transaction<readonly Received[]> {
  const page = (columns: string, limit: number) =>
    `SELECT ${columns} FROM event WHERE ${condition} ORDER BY id ${order} LIMIT ${limit}`;
  const size = `SELECT sum(size) AS bytes FROM (${page('length(body) AS size', mostEvents)})`;
  return function* () {
    const [found] = yield { sql: size, values };
    const limit = Number(found?.['bytes']) > mostBytes ? 1 : mostEvents;
    return (yield { sql: page('*', limit), values }).map(receivedIn);
  };
}

function receivedIn({ id, at, method, path, headers, remote, port, body }: Row): Received {
  return {
    id: eventId(Number(id)),
    number: Number(id),
    received_at: Number(at),
    method: String(method),
    path: String(path),
    headers: headersIn(String(headers)),
    remote: String(remote),
    port: Number(port),
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
  const [row] = yield { sql: 'SELECT count(*) AS events FROM event', values: [] };
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
    const [found] = yield { sql: size, values: [] };
    const excess = Number(found?.['bytes']) - most;
    return yield* deleteOldest('at < $1 OR before < $2', [now - week, Math.min(excess, mostDeleted)]);
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
  return () => deleteOldest('id <= $1 AND before < $2', [number, mostDeleted]);
}

/** Deletes the oldest events while they meet the condition; `before` is the size of those before it. */
function* deleteOldest(condition: string, values: readonly Value[]) {
  const sizes = `SELECT id, at, sum(length(body) + length(headers)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)
      - length(body) - length(headers) AS before FROM event ORDER BY id LIMIT ${mostAtOnce}`;
  const deletion = `DELETE FROM event WHERE id <= (SELECT max(id) FROM (${sizes}) WHERE ${condition}) RETURNING id`;
  const deleted = yield* ask(deletion, values);
  return deleted.length;
}

function* ask(sql: string, values: readonly Value[]): Generator<Statement, readonly Row[], readonly Row[]> {
  return yield { sql, values };
}
