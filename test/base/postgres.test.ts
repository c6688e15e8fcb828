import { describe, expect, it } from 'vitest';
import type { Host } from '../../src/base/host.ts';
import { postgresAddress } from '../../src/base/postgres-address.ts';
import { createPostgres } from '../../src/base/postgres.ts';
import { query } from '../../src/base/transaction.ts';
import { missingPostgres, sharedPostgres, startPostgres } from '../support/postgres.ts';

const greeting = 'SELECT 0 AS tick';

/** Time that passes only while the driver pauses. */
function virtualTime() {
  let now = 0;
  const later: Host['later'] = (milliseconds, run) => {
    const isPause = milliseconds < 10_000;
    if (isPause) now += milliseconds;
    const timer = setTimeout(run, isPause ? 0 : milliseconds);
    return () => clearTimeout(timer);
  };
  return { steady: () => now, later, random: () => 0.5 };
}

function databaseAt(url: string, host = virtualTime(), notes: string[] = []) {
  const note = (message: string) => void notes.push(message);
  const server = createPostgres({
    address: postgresAddress(url),
    host,
    schema: 'public',
    greeting,
    greeted() {},
    note,
  });
  return { server, database: server.database(''), host, notes };
}

describe.skipIf(missingPostgres !== undefined)('a PostgreSQL database', () => {
  it('returns texts, numbers, bytes and nothing as they were given', async () => {
    const { database, server } = databaseAt((await sharedPostgres()).url);
    const values = [`'\\"; DROP TABLE x; -- $1 \\' Ünïcode 🙂\n`, -1, 2 ** 45, null] as const;
    const bytes = Buffer.from([0, 39, 92, 255]);
    const sql = 'SELECT $1::text AS a, $2::bigint AS b, $3::bigint AS c, $4::text AS d, $5 AS e';
    const [row] = await database.read(() => query(sql, ...values, bytes));
    expect(Object.values(row ?? {})).toEqual([...values, bytes]);
    await server.close();
  });

  it('is waited for during 2 minutes; later statements fail immediately', async () => {
    const own = await startPostgres();
    const { database, server, host, notes } = databaseAt(own.url);
    await server.connect();
    await own.kill();
    await expect(database.write(() => query('SELECT 1'))).rejects.toMatchObject({ code: 'team-unreachable' });
    expect(host.steady()).toBeGreaterThan(119_000);
    expect(host.steady()).toBeLessThan(130_000);
    expect(notes).toEqual([expect.stringContaining('waiting for it')]);
    const before = host.steady();
    await expect(database.write(() => query('SELECT 1'))).rejects.toMatchObject({ code: 'team-unreachable' });
    expect(host.steady() - before).toBeLessThan(1_000);
    await server.close();
  });

  it('keeps the other transactions of a group if one of them fails', async () => {
    const { database, server } = databaseAt((await sharedPostgres()).url);
    const failing = database.write(function* () {
      yield* query('SELECT 1');
      throw new Error('no');
    });
    const other = database.write(() => query('SELECT 2 AS two'));
    await expect(failing).rejects.toThrow('no');
    expect(await other).toEqual([{ two: 2 }]);
    await server.close();
  });
});
