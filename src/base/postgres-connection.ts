import type { Socket } from 'node:net';
import postgres from 'postgres';
import type { Host } from './host.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresFault } from './postgres-errors.ts';
import { openSocket } from './postgres-socket.ts';
import type { Repeated, Row, Statement, Value } from './transaction.ts';

/** Milliseconds for one answer: more than a transaction may take, less than a claim is valid. */
const longestAnswer = 20_000;
/** Bytes of an answer, and characters or bytes of a value. */
const [largestAnswer, largestValue] = [1 << 28, 1 << 20];
/** Characters of statements that wait for the next one. */
const longestWaiting = 1 << 18;

interface ConnectionOptions extends Pick<Host, 'later' | 'steady'> {
  /** Gets the time of the server when a transaction begins, and when it was asked for. */
  onTime(time: number, askedAt: number): void;
  /** Gets each tick of the ledger that is read or set. */
  onTick(tick: number): void;
}

export type Connection = ReturnType<typeof openConnection>;

/** Opens a connection to a server with the first statement, until it fails. */
export function openConnection(address: PostgresAddress, { later, steady, onTime, onTick }: ConnectionOptions) {
  const connecting = new AbortController();
  let socket: Socket | undefined;
  let [isOpen, isNew, received, waiting] = [true, true, 0, ''];
  /** The rows of statements that were read ahead, until something is written. */
  const known = new Map<string, readonly Row[]>();
  let fail: (error: unknown) => void = () => {};
  // The driver may forget a statement that was sent while the connection ended.
  const failure = new Promise<never>((_, reject) => (fail = reject));
  failure.catch(() => {});
  const sql = postgres(optionsFor(address, startSocket));
  return {
    isOpen: () => isOpen,
    query: send,
    /** Begins a transaction, together with its first statement. */
    begin(text: string): void {
      known.clear();
      put(text);
    },
    /** The rows of a statement. One that returns none waits for the next one, so that both take one round trip. */
    async run(statement: Statement | Repeated): Promise<readonly Row[]> {
      const { sql: text } = statement;
      const texts = ('each' in statement ? statement.each : [statement.values]).map((values) =>
        withValues(text, values),
      );
      const found = known.get(texts[0] ?? '');
      if (found) return found;
      texts.forEach(put);
      const isWrite = /^\s*(?:INSERT|UPDATE|DELETE)\b/.test(text);
      if (isWrite) known.clear();
      if (isWrite && !/\bRETURNING\b/.test(text) && waiting.length < longestWaiting) return [];
      const ahead =
        'ahead' in statement ? (statement.ahead?.() ?? []).map(({ sql, values }) => withValues(sql, values)) : [];
      ahead.forEach(put);
      const { lists } = await flush();
      ahead.forEach((one, at) => known.set(one, lists.at(at - ahead.length) ?? []));
      const rows = lists.at(-1 - ahead.length) ?? [];
      const tick = rows[0]?.['tick'];
      if (typeof tick === 'number' && / ledger\b/.test(text)) onTick(tick);
      return rows;
    },
    /** Ends a transaction that only reads, together with the beginning of the next one, if it follows immediately. */
    end(): void {
      put('COMMIT');
      setImmediate(() => setImmediate(() => void (waiting === 'COMMIT' && flush().catch(() => {}))));
    },
    async commit(): Promise<void> {
      put('COMMIT');
      const { command } = await flush();
      // A transaction that failed is rolled back without an error.
      if (command !== 'COMMIT') throw new PostgresFault(new Error(`COMMIT did ${command}`));
    },
    async rollBack(): Promise<void> {
      waiting = '';
      if (isOpen) await send('ROLLBACK').catch(() => {});
    },
    async close(): Promise<void> {
      isOpen = false;
      connecting.abort();
      await sql.end({ timeout: 0 }).catch(() => {});
      socket?.destroy();
    },
  };

  function put(text: string): void {
    waiting += waiting === '' ? text : `;\n${text}`;
  }

  async function flush() {
    const [text, askedAt] = [waiting, steady()];
    waiting = '';
    const answer = await send(text);
    if (typeof answer.time === 'number') onTime(answer.time, askedAt);
    return answer;
  }

  async function send(text: string) {
    received = 0;
    const cancel = later(isNew ? address.connectTimeout : longestAnswer, () => end('ETIMEDOUT'));
    const answer = await Promise.race([sql.unsafe(text), failure])
      .catch((error: unknown) => {
        throw new PostgresFault(error);
      })
      .finally(cancel);
    isNew = false;
    return answerOf(answer);
  }

  function end(code: string, error: Error = new Error('the connection ended')): void {
    isOpen = false;
    fail('code' in error ? error : Object.assign(error, { code }));
    connecting.abort();
    socket?.destroy();
  }

  async function startSocket(): Promise<Socket> {
    // The driver tries again if the server closes the connection immediately.
    if (socket) throw Object.assign(new Error('the server closed the connection'), { code: 'CONNECTION_CLOSED' });
    socket = await openSocket(address, connecting.signal);
    socket.on('error', (error) => end('', error)).on('close', () => end('CONNECTION_CLOSED'));
    return socket.on('data', (part: Uint8Array) => {
      received += part.length;
      if (received > largestAnswer) end('EMSGSIZE');
    });
  }
}

function optionsFor({ user, password, database, ...address }: PostgresAddress, socket: () => Promise<Socket>) {
  const { applicationName: application_name, options } = address;
  const off = { ssl: false, idle_timeout: 0, connect_timeout: 0, max_lifetime: 0, fetch_types: false, prepare: false };
  // The socket is connected to the right host. Missing settings would be read from variables.
  const on = { host: 'server', port: 5432, max: 1, max_pipeline: 100, backoff: false, debug: false, keep_alive: 30 };
  return {
    ...off,
    ...on,
    socket,
    user,
    // A function, since an empty one would be replaced by PGPASSWORD.
    password: () => password,
    database,
    onnotice() {},
    connection: { application_name, ...(options !== undefined && { options }) },
    types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
  };
}

/** The driver returns one list of rows, or one for each statement with rows. */
function answerOf(found: unknown) {
  const all: readonly unknown[] = Array.isArray(found) ? found : [];
  const results = Array.isArray(all[0]) ? all : [all];
  const last = results.at(-1);
  const command = typeof last === 'object' && last !== null && 'command' in last ? last.command : '';
  const lists = results.map(rowsIn);
  const time = lists.map(([row]) => row?.['now']).find((now) => now !== undefined);
  return { time, lists, command: String(command) };
}

function rowsIn(found: unknown): readonly Row[] {
  if (!Array.isArray(found)) return [];
  return found.map((row: unknown) => {
    const values = Object.entries(Object(row)).map(([name, value]): [string, Value] => {
      const isFit = (typeof value === 'string' || value instanceof Uint8Array) && value.length <= largestValue;
      if (value === null || isFit || (typeof value === 'number' && Math.abs(value) <= 2 ** 53)) return [name, value];
      throw new RangeError(`${name} has an unexpected value`);
    });
    return Object.fromEntries(values);
  });
}

/** A statement with its values in the text: with parameters it would take two round trips. */
function withValues(sql: string, values: readonly Value[]): string {
  return sql.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]));
}

/** No byte of a text can end it: within a character of UTF-8 there is neither a quote nor a backslash. */
function literal(value: Value | undefined): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `E'${value.replace(/[\\']/g, String.raw`\$&`)}'`;
  if (typeof value === 'object') return `E'\\\\x${Buffer.from(value).toString('hex')}'::bytea`;
  if (value === undefined || !Number.isFinite(value)) throw new Error(`${value} is not a value`);
  return value < 0 ? `(${value})` : String(value);
}
