import { query, type Row, type Transaction } from '../base/transaction.ts';
import { isDelivered } from '../contract/events.ts';
import type { Received } from './events.ts';

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

/** An event and its forwarding attempts, newest first. */
export interface Past {
  readonly event: Received;
  readonly forwards: readonly Forwarded[];
}

/** Whether the last forward was not answered with 2xx, or not sent: a killed listener may have had it. */
export function hasFailed({ event, forwards: [last] }: Past): boolean {
  return last ? !isDelivered(last) : event.forward_to !== undefined;
}

const insertion = `INSERT INTO forward (event, at, url, status, ms, error, body)
  SELECT id, $2, $3, $4, $5, $6, $7 FROM event WHERE id = $1`;

/** Records an attempt, unless the event was deleted. */
export function recordForward(event: number, at: number, attempt: Attempt): Transaction<void> {
  const { url, status = null, ms, error = null, body = null } = attempt;
  return function* () {
    yield { sql: insertion, values: [event, at, url, status, ms, error, body] };
  };
}

/** Adds the attempts to events. */
export function withForwards(events: Transaction<readonly Received[]>): Transaction<readonly Past[]> {
  const sql = 'SELECT * FROM forward WHERE event IN (SELECT value FROM json_each($1)) ORDER BY id DESC';
  return function* () {
    const page = yield* events();
    const forwards = new Map<number, Forwarded[]>(page.map(({ number }) => [number, []]));
    for (const row of yield* query(sql, JSON.stringify([...forwards.keys()])))
      forwards.get(Number(row['event']))?.push(forwardedIn(row));
    return page.map((event) => ({ event, forwards: forwards.get(event.number) ?? [] }));
  };
}

function forwardedIn({ at, url, status, ms, error, body }: Row): Forwarded {
  return {
    forwarded_at: Number(at),
    url: String(url),
    ms: Number(ms),
    ...(typeof status === 'number' && { status }),
    ...(typeof error === 'string' && { error }),
    ...(typeof body === 'string' && { body }),
  };
}
