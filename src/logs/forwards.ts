import type { Row, Statement, Transaction } from '../base/transaction.ts';
import { type Destination, eventId, eventsAfter, pendingEvents, type Received } from './events.ts';

/** An attempt to forward an event, and its answer. */
export interface Attempt {
  readonly url: string;
  readonly status?: number | undefined;
  /** Duration. */
  readonly ms: number;
  readonly error?: string | undefined;
  /** The beginning of the answer's body. */
  readonly body?: string | undefined;
}

export interface Forwarded extends Attempt {
  readonly forwarded_at: number;
}

/** An attempt by a listener. */
export interface Reported extends Attempt {
  /** The id of the event. */
  readonly event: string;
  /** Starts at 1. */
  readonly attempt: number;
  /** Milliseconds until the next attempt. */
  readonly retry_in?: number | undefined;
}

/** An event and its forwarding attempts, newest first. */
export interface Past {
  readonly event: Received;
  readonly forwards: readonly Forwarded[];
}

/** An event to forward, and its destination. */
export interface Order extends Destination {
  readonly event: Received;
}

/** A page of the events that a listener still has to forward, after this number. */
export function ordersAfter(number: number, listener: string): Transaction<readonly Order[]> {
  return function* () {
    const events = yield* pendingEvents(number, listener)();
    const rows = yield about('pending', events);
    const destinations = new Map(
      rows.map((row) => [row['event'], { url: String(row['url']), lane: String(row['lane']) }]),
    );
    return events.flatMap((event) => {
      const destination = destinations.get(event.number);
      return destination ? [{ event, ...destination }] : [];
    });
  };
}

/** Makes a listener forward what dead ones had to forward to the same address. Returns how many events. */
export function adopt(listener: string, url: string, live: readonly string[]): Transaction<number> {
  const sql = `UPDATE pending SET listener = $1 WHERE url = $2
    AND listener NOT IN (SELECT value FROM json_each($3)) RETURNING event`;
  return function* () {
    return (yield { sql, values: [listener, url, JSON.stringify(live)] }).length;
  };
}

interface By {
  readonly listener: string;
  readonly attempt: number;
  readonly retryIn: number | undefined;
}

/** Records an attempt: of a listener, or of a replay. Does nothing if the event was deleted. */
export function recordForward(event: number, at: number, attempt: Attempt, by?: By): Transaction<void> {
  const { url, status = null, ms, error = null, body = null } = attempt;
  const who = [by?.listener ?? null, by?.attempt ?? null, by?.retryIn ?? null];
  return function* () {
    yield { sql: insertion, values: [event, at, url, status, ms, error, body, ...who] };
    yield { sql: 'DELETE FROM pending WHERE event = $1', values: [event] };
  };
}

const insertion = `INSERT INTO forward (event, at, url, status, ms, error, body, listener, attempt, retry_in)
  SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM event WHERE id = $1`;

/** Events in a transaction of `abandon`. */
const mostAbandoned = 1_000;

/** Records some events that a listener did not forward before it stopped. Returns whether there are more. */
export function abandon(listener: string, at: number): Transaction<boolean> {
  const some = `SELECT event FROM pending WHERE listener = $1 ORDER BY event LIMIT ${mostAbandoned}`;
  return function* () {
    yield {
      sql: `INSERT INTO forward (event, at, url, ms, error)
        SELECT event, $2, url, 0, $3 FROM pending WHERE event IN (${some}) ORDER BY event`,
      values: [listener, at, 'not sent: the listener stopped'],
    };
    const done = yield { sql: `DELETE FROM pending WHERE event IN (${some}) RETURNING event`, values: [listener] };
    return done.length === mostAbandoned;
  };
}

/** A place between the records. */
export interface Place {
  readonly event: number;
  readonly forward: number;
}

/** The place after all records so far. */
export const newestRecords: Transaction<Place> = function* () {
  const rows = yield { sql: 'SELECT name, seq FROM sqlite_sequence', values: [] };
  const newest = (table: string) => Number(rows.find(({ name }) => name === table)?.['seq'] ?? 0);
  return { event: newest('event'), forward: newest('forward') };
};

export interface News {
  readonly events: readonly Received[];
  readonly reports: readonly Reported[];
  readonly last: Place;
}

interface NewsOptions {
  readonly listener: string;
  readonly isForwarding: boolean;
}

/** A page of what a listener recorded after a place. An attempt follows its event. */
export function newsAfter({ event, forward }: Place, { listener, isForwarding }: NewsOptions): Transaction<News> {
  return function* () {
    const events = yield* eventsAfter(event, listener)();
    const last = events.at(-1)?.number ?? event;
    const rows = isForwarding ? yield { sql: attempts, values: [forward, listener] } : [];
    const early = rows.findIndex((row) => Number(row['event']) > last);
    const known = early < 0 ? rows : rows.slice(0, early);
    return {
      events,
      reports: known.map(reportIn),
      last: { event: last, forward: Number(known.at(-1)?.['id'] ?? forward) },
    };
  };
}

/** Numbers start again in a new file. */
const attempts = `SELECT * FROM forward WHERE listener = $2 AND id >
    iif($1 > (SELECT seq FROM sqlite_sequence WHERE name = 'forward'), 0, $1)
  ORDER BY id LIMIT 500`;

function reportIn(row: Row): Reported {
  const { retry_in } = row;
  return {
    event: eventId(Number(row['event'])),
    ...attemptIn(row),
    attempt: Number(row['attempt']),
    ...(retry_in !== null && { retry_in: Number(retry_in) }),
  };
}

/** Adds the attempts to events. Events that a dead listener had to forward count as one. */
export function withForwards(
  events: Transaction<readonly Received[]>,
  live: readonly string[],
): Transaction<readonly Past[]> {
  return function* () {
    const found = yield* events();
    const [attempts, orders] = [yield about('forward', found), yield about('pending', found)];
    const forwards = new Map<number, Forwarded[]>(found.map(({ number }) => [number, []]));
    const add = (row: Row, forwarded: Forwarded) => forwards.get(Number(row['event']))?.unshift(forwarded);
    for (const row of attempts) add(row, { forwarded_at: Number(row['at']), ...attemptIn(row) });
    for (const { number, received_at: at } of found)
      for (const row of orders.filter(({ event, listener }) => event === number && !live.includes(String(listener))))
        add(row, { forwarded_at: at, url: String(row['url']), ms: 0, error: 'not sent: the listener was killed' });
    return found.map((event) => ({ event, forwards: forwards.get(event.number) ?? [] }));
  };
}

/** The rows of a table about these events, in order of their creation. */
function about(table: 'forward' | 'pending', events: readonly Received[]): Statement {
  const sql = `SELECT * FROM ${table} WHERE event IN (SELECT value FROM json_each($1)) ORDER BY rowid`;
  return { sql, values: [JSON.stringify(events.map(({ number }) => number))] };
}

/** In the order in which they are printed. */
function attemptIn({ url, status, ms, error, body }: Row): Attempt {
  return {
    url: String(url),
    ms: Number(ms),
    ...(typeof status === 'number' && { status }),
    ...(typeof error === 'string' && { error }),
    ...(typeof body === 'string' && { body }),
  };
}
