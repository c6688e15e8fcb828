import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres, type PostgresOptions } from '../../src/base/postgres.ts';
import { type Database, query } from '../../src/base/transaction.ts';
import { deadPort } from '../client/servers.ts';
import { later } from '../support/cli.ts';
import {
  missingPostgres,
  newDatabase,
  type PostgresServer,
  sharedPostgres,
  startPostgres,
} from '../support/postgres.ts';
import { commit, openProxy } from '../support/tcp-proxy.ts';

const schema = ['CREATE TABLE t (n INTEGER NOT NULL, s TEXT) STRICT; CREATE UNIQUE INDEX t_n ON t (n);'];

type Options = Partial<Pick<PostgresOptions, 'patience' | 'schema' | 'schemaName'>>;

async function open(url: string, options: Options = {}): Promise<Database> {
  const host = { later, random: Math.random, steady: () => performance.now() };
  const database = await openPostgres(url, { schema, host, note() {}, ...options });
  onTestFinished(() => database.close());
  return database;
}

/** A proxy to the server of a database, and the URL through it. */
async function proxied(url: string) {
  const through = new URL(url);
  const proxy = await openProxy(Number(through.port));
  through.port = String(proxy.port);
  return { proxy, through: through.href };
}

const insert = (n: number) => () => query('INSERT INTO t (n) VALUES ($1) RETURNING n', n);
const all = () => query('SELECT n, s FROM t ORDER BY n');

describe.skipIf(missingPostgres !== undefined)(`a PostgreSQL database ${missingPostgres ?? ''}`, () => {
  it('returns texts, numbers and nothing as they were given, also of many rows', async () => {
    const database = await open(newDatabase(await sharedPostgres()));
    const text = `'\\"; DROP TABLE x; -- $1 \\' Ünïcode 🙂\n\\ud800 $each$`;
    const rows = [
      [1, text],
      [2 ** 45, null],
      [-1, 'STOP\0\ud800'],
    ] as const;
    await database.write(function* () {
      yield { sql: 'INSERT INTO t (n, s) VALUES ($1, $2)', each: rows };
      yield { sql: 'DELETE FROM t WHERE n = $1', each: [] };
      yield { sql: 'UPDATE t SET s = COALESCE($1, s) WHERE n = $2', each: [[null, 1]] };
    });
    expect(await database.read(all)).toEqual([
      { n: -1, s: 'STOP\ufffd\ufffd' },
      { n: 1, s: text },
      { n: 2 ** 45, s: null },
    ]);
    for (const [s, same] of [
      [text, text],
      ['STOP\0\ud800', 'STOP\ufffd\ufffd'],
    ] as const)
      expect(await database.read(() => query('SELECT s FROM t WHERE s = $1', s))).toEqual([{ s: same }]);
  });

  it('sends a statement together with its values: between them, a client that stops would keep its locks', async () => {
    const { proxy, through } = await proxied(newDatabase(await sharedPostgres()));
    const database = await open(through);
    const before = proxy.roundTrips;
    await database.write(() => query('INSERT INTO t (n, s) VALUES ($1, $2)', 1, `it's "Ünïcode"\n`));
    // BEGIN, INSERT and COMMIT.
    expect(proxy.roundTrips - before).toBe(3);
  });

  it('makes its tables once, and refuses those of a newer program', async () => {
    const url = newDatabase(await sharedPostgres());
    const [first] = await Promise.all([1, 2, 3].map(() => open(url)));
    await first?.write(insert(1));
    const next = await open(url, { schema: [...schema, 'CREATE TABLE u (n INTEGER) STRICT;'] });
    expect(await next.read(() => query('SELECT n FROM t UNION SELECT n FROM u'))).toEqual([{ n: 1 }]);
    await expect(open(url)).rejects.toMatchObject({ code: 'database-newer', exit: 'configuration' });
  });

  it('keeps two kinds of tables apart, each with its version', async () => {
    const url = newDatabase(await sharedPostgres());
    const other = { schemaName: 'other', schema: [...schema, 'CREATE TABLE u (t REAL) STRICT;'] };
    const [first, second] = [await open(url), await open(url, other)];
    await first.write(insert(1));
    await second.write(() => query('INSERT INTO u (t) VALUES ($1)', 1_700_000_000_000.25));
    expect(await second.read(() => query('SELECT t, (SELECT COUNT(*) FROM t) AS count FROM u'))).toEqual([
      { t: 1_700_000_000_000.25, count: 0 },
    ]);
    await open(url);
  });

  it.each(['request', 'answer'] as const)(
    'commits once if the connection ends with the %s of COMMIT',
    async (instead) => {
      const server = await sharedPostgres();
      const url = newDatabase(server);
      await open(url);
      const { proxy, through } = await proxied(url);
      const database = await open(through);
      proxy.cut = { at: commit, instead };
      // Twice, the unique index would refuse it.
      expect(await database.write(insert(1))).toEqual([{ n: 1 }]);
      expect(await database.read(all)).toEqual([{ n: 1, s: null }]);
      expect([proxy.cut, proxy.connections]).toEqual([undefined, 2]);
    },
  );

  it('repeats a transaction that a server does not know which has taken over', async () => {
    const [first, second] = [await startPostgres(), await startPostgres()];
    first.sql('SELECT txid_current();'.repeat(500));
    await open(second.url);
    const { proxy, through } = await proxied(first.url);
    const database = await open(through);
    proxy.cut = { at: commit, instead: 'request' };
    proxy.onCut = () => (proxy.target = second.port);
    await database.write(insert(1));
    expect(await database.read(all)).toEqual([{ n: 1, s: null }]);
    await Promise.all([first.kill(), second.kill()]);
  });

  it('goes on after its server was killed in the middle of a transaction', async () => {
    const server = await startPostgres();
    const database = await open(server.url);
    let runs = 0;
    const slow = database.write(function* () {
      runs++;
      yield* insert(1)();
      if (runs === 1) yield* query('SELECT 1 FROM pg_sleep(60)');
    });
    const second = database.write(insert(2));
    while (!server.sql('SELECT query FROM pg_stat_activity').includes('pg_sleep(60)')) await pause(20);
    await server.kill();
    await server.start();
    await Promise.all([slow, second]);
    expect(await database.read(all)).toMatchObject([{ n: 1 }, { n: 2 }]);
    expect(runs).toBe(2);
    await server.stop();
  });

  it('repeats a transaction that conflicted with another', async () => {
    const url = newDatabase(await sharedPostgres());
    const [first, second] = [await open(url), await open(url)];
    await first.write(insert(1));
    await first.write(insert(2));
    const both = (first: number, second: number) =>
      function* () {
        for (const n of [first, second]) {
          yield* query("UPDATE t SET s = COALESCE(s, '') || 'x' WHERE n = $1", n);
          yield* query('SELECT 1 FROM pg_sleep(0.1)');
        }
      };
    await Promise.all([first.write(both(1, 2)), second.write(both(2, 1))]);
    expect(await first.read(all)).toEqual([
      { n: 1, s: 'xx' },
      { n: 2, s: 'xx' },
    ]);
  });

  it('changes nothing if its body or a statement fails, and goes on', async () => {
    const database = await open(newDatabase(await sharedPostgres()));
    const failing = database.write(function* () {
      yield* insert(1)();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect(database.write(() => query('no SQL'))).rejects.toMatchObject({ code: '42601' });
    expect(await database.read(all)).toEqual([]);
  });

  it.each([
    { problem: 'a refused password', user: 'ann:wrong', code: 'database-refused', exit: 'configuration' },
    { problem: 'an unknown user', user: 'bob', code: 'database-refused', exit: 'configuration' },
    { problem: 'a user without rights', user: 'ann:right', code: 'database-refused', exit: 'configuration' },
    { problem: 'an unknown database', path: '/none', code: 'database-refused', exit: 'configuration' },
    { problem: 'no encryption', path: '/postgres?sslmode=verify-full', code: 'tls', exit: 'network' },
    { problem: 'an unknown mode', path: '/postgres?sslmode=no', code: 'usage', exit: 'usage' },
  ])('refuses $problem', async ({ user = 'postgres', path = '/postgres', code, exit }) => {
    const server = await protectedServer();
    await expect(open(`postgres://${user}@127.0.0.1:${server.port}${path}`)).rejects.toMatchObject({ code, exit });
  });

  it('cannot be reached', async () => {
    const url = `postgres://bizmsg@127.0.0.1:${await deadPort()}/x`;
    await expect(open(url)).rejects.toMatchObject({ code: 'database-unreachable', exit: 'network' });
    await expect(open('https://example.com')).rejects.toMatchObject({ code: 'usage' });
  });
});

let guarded: Promise<PostgresServer> | undefined;

function protectedServer(): Promise<PostgresServer> {
  const access = `local all postgres trust\nhost all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n`;
  return (guarded ??= startPostgres({ access }).then((server) => {
    server.sql("CREATE USER ann PASSWORD 'right'");
    return server;
  }));
}
