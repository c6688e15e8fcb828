import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import postgres from 'postgres';
import type { Address } from './postgres-address.ts';
import { isLost, lost } from './postgres-errors.ts';
import type { Repeated, Row, Statement, Transaction, Value } from './transaction.ts';

/** BIGINT is a number: what reads it checks that it is a safe integer. */
const bigint = { to: 20, from: [20], parse: Number, serialize: String };

export type Connection = ReturnType<typeof openConnection>;
export type Query = (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>;

/** One connection to a server, until it fails. */
export function openConnection({ url, host, port, ssl }: Address) {
  let socket: Socket | undefined;
  let isClosed = false;
  const settings = {
    ssl,
    socket: startSocket,
    max: 1,
    // PgBouncer may give each transaction another connection.
    prepare: false,
    fetch_types: false,
    max_lifetime: null,
    types: { bigint },
    onnotice() {},
    connection: { application_name: 'bizmsg' },
  };
  const sql = postgres(url.href, settings);
  const query: Query = async (text, values = []) => atOnce(sql.unsafe(text, values.map(storable)));
  return {
    query,
    isOpen: () => socket?.destroyed === false,
    /** `begin` is one or more statements. */
    async transact<T>(begin: string, act: () => Promise<T>): Promise<T> {
      try {
        await sql.unsafe(begin);
        const result = await act();
        await query('COMMIT');
        return result;
      } catch (error) {
        // A lost connection would never answer.
        if (!isLost(error)) await query('ROLLBACK');
        throw error;
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      await sql.end({ timeout: 0 });
      socket?.destroy();
    },
  };

  /** Called again, the driver would go on with another connection, or try without an end. */
  async function startSocket(): Promise<Socket> {
    if (socket) throw lost('CONNECTION_CLOSED');
    socket = connectTcp({ host, port, noDelay: true });
    await once(socket, 'connect');
    if (isClosed) throw lost('CONNECTION_CLOSED');
    return Object.assign(socket, { host });
  }
}

/**
 * Sends a statement together with its values. The driver would ask for their types first, and no time limit of the
 * server ends a transaction whose client stops between the two.
 */
function atOnce<T extends object>(statement: T): T {
  return Object.defineProperty(statement, 'describeFirst', { get: () => false, set() {} });
}

/** Runs the body of a transaction. */
export async function resultOf<T>(body: Transaction<T>, run: Query): Promise<T> {
  const steps = body();
  let step = steps.next();
  while (step.done !== true) step = steps.next(await rowsOf(step.value, run));
  return step.value;
}

async function rowsOf(statement: Statement | Repeated, run: Query): Promise<readonly Row[]> {
  if ('values' in statement) return run(statement.sql, statement.values);
  const { sql, each } = statement;
  if (each.length === 0) return [];
  await run("SELECT set_config('bizmsg.rows', $1, true)", [
    JSON.stringify(each, (_, value: unknown) => storable(value)),
  ]);
  await run(loop(sql, each));
  return [];
}

/** Replaces what a text of PostgreSQL cannot have: half characters and NUL. */
function storable<T>(value: T): T | string {
  return typeof value === 'string' ? Buffer.from(value).toString().replaceAll('\0', '\ufffd') : value;
}

/** Runs a statement for each of many rows there: with a round trip for each, a distant server would take minutes. */
function loop(sql: string, each: Repeated['each']): string {
  const statement = sql.replace(/\$(\d+)/g, (_, number) => {
    const at = Number(number) - 1;
    const kind = each.map((values) => typeof values[at]).find((kind) => kind === 'number' || kind === 'string');
    if (kind === undefined) return 'NULL';
    return kind === 'number' ? `(value_row->>${at})::bigint` : `(value_row->>${at})`;
  });
  return `DO $each$ DECLARE value_row jsonb; BEGIN
    FOR value_row IN SELECT jsonb_array_elements(current_setting('bizmsg.rows')::jsonb) LOOP ${statement}; END LOOP;
    END $each$`;
}
