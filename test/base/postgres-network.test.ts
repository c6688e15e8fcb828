import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/base/postgres.ts';
import { type Database, query } from '../../src/base/transaction.ts';
import { identity as foreign } from '../client/servers.ts';
import { later } from '../support/cli.ts';
import {
  missingBouncer,
  missingPostgres,
  newDatabase,
  type PostgresServer,
  sharedPostgres,
  startBouncer,
  startPostgres,
} from '../support/postgres.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
import { openProxy } from '../support/tcp-proxy.ts';

const schema = ['CREATE TABLE t (n INTEGER NOT NULL, s TEXT) STRICT; INSERT INTO t (n) VALUES (0);'];

/** Its clock runs 20 times as fast, so that it gives up soon. */
async function open(url: string, note: (text: string) => void = () => {}, patience?: number): Promise<Database> {
  const host = {
    later: (milliseconds: number, run: () => void) => later(milliseconds / 20, run),
    steady: () => 20 * performance.now(),
    random: () => 0.5,
  };
  const database = await openPostgres(url, { schema, host, note, ...(patience !== undefined && { patience }) });
  onTestFinished(() => database.close());
  return database;
}

const count = () => query('UPDATE t SET n = n + 1 RETURNING n');
const counted = (server: PostgresServer, url: string) =>
  server.sql('SELECT n FROM bizmsg.t', new URL(url).pathname.slice(1));

async function proxied(server: PostgresServer) {
  const url = newDatabase(server);
  const proxy = await openProxy(server.port);
  return { url, proxy, through: url.replace(String(server.port), String(proxy.port)) };
}

describe.skipIf(missingBouncer !== undefined)(`PgBouncer ${missingBouncer ?? ''}`, () => {
  it('may give each transaction another connection', async () => {
    const server = await sharedPostgres();
    const url = newDatabase(server);
    const port = await startBouncer(server);
    const through = url.replace(String(server.port), String(port));
    const databases = await Promise.all([1, 2, 3, 4].map(() => open(through)));
    await Promise.all(databases.flatMap((database) => [1, 2, 3].map(() => database.write(count))));
    const each = [["it's"], ['$1']] as const;
    await databases[0]?.write(function* () {
      yield { sql: 'INSERT INTO t (n, s) VALUES (1, $1)', each };
    });
    expect(await databases[1]?.read(() => query('SELECT s FROM t WHERE s = $1', "it's"))).toEqual([{ s: "it's" }]);
    expect(counted(server, url)).toBe('12\n1\n1');
  });
});

describe.skipIf(missingPostgres !== undefined)(`a connection to PostgreSQL ${missingPostgres ?? ''}`, () => {
  it.each(['stalls', 'is reset'])('goes on once it %s', async (what) => {
    const server = await sharedPostgres();
    const { url, proxy, through } = await proxied(server);
    const notes: string[] = [];
    const database = await open(through, (text) => {
      notes.push(text);
      proxy.mode = 'pass';
    });
    proxy.mode = what === 'stalls' ? 'stall' : 'refuse';
    if (what === 'is reset') proxy.reset();
    await database.write(count);
    expect([counted(server, url), notes]).toEqual(['1', [expect.stringContaining('; waiting for it')]]);
  });

  it('is given up after a time', async () => {
    const { proxy, through } = await proxied(await sharedPostgres());
    const database = await open(through, undefined, 5_000);
    proxy.mode = 'refuse';
    proxy.reset();
    await expect(database.write(count)).rejects.toMatchObject({ exit: 'network', code: 'database-unreachable' });
  });

  it('is encrypted with a foreign certificate only if sslmode allows it', async () => {
    const access = 'local all all trust\nhostssl all all 127.0.0.1/32 trust\n';
    const server = await startPostgres({ tls: foreign, access });
    onTestFinished(() => server.stop());
    await expect(open(server.url)).rejects.toMatchObject({ code: 'database-refused' });
    await expect(open(`${server.url}?sslmode=verify-full`)).rejects.toMatchObject({ exit: 'network', code: 'tls' });
    const database = await open(`${server.url}?sslmode=require`);
    const encrypted = 'SELECT ssl::int AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    expect(await database.read(() => query(encrypted))).toEqual([{ ssl: 1 }]);
  });
});

describe.skipIf(missingPostgres !== undefined || !canMount())('a PostgreSQL server whose disk is full', () => {
  it('is given up after a time, and used again once there is space', async () => {
    const server = await startPostgres();
    const disk = join(server.folder, 'disk');
    mkdirSync(disk);
    const { uid, gid } = statSync(server.folder);
    mount(disk, `uid=${uid},gid=${gid},size=24m`);
    onTestFinished(async () => {
      await server.stop();
      asRoot('umount', '--lazy', disk);
    });
    server.sql(`CREATE TABLESPACE small LOCATION '${disk}'`);
    const url = newDatabase(server, 'TABLESPACE small');
    const database = await open(url, undefined, 5_000);
    const filling = join(disk, 'filling');
    expect(() => writeFileSync(filling, Buffer.alloc(1 << 25))).toThrow('ENOSPC');
    // One statement may still fit into a page.
    const fill = () => query("INSERT INTO t SELECT n, repeat('x', 1000) FROM generate_series(1, 1000) n");
    await expect(database.write(fill)).rejects.toMatchObject({ exit: 'network' });
    rmSync(filling);
    await database.write(fill);
    expect(counted(server, url).split('\n')).toHaveLength(1_001);
  });
});

it('sends nothing to a server whose certificate is not accepted', async () => {
  const server = await foreignServer();
  const url = `postgres://ann:secret@127.0.0.1:${server.port}/x`;
  await expect(open(`${url}?sslmode=verify-full`)).rejects.toMatchObject({ exit: 'network', code: 'tls' });
  expect(server.received()).toBe('');
  await expect(open(`${url}?sslmode=require`)).rejects.toMatchObject({ code: 'database-unreachable' });
  expect(server.received()).toContain('user\0ann');
});

/** A server with an unknown certificate, which hangs up after the first message. */
async function foreignServer() {
  let received = '';
  const secureContext = createSecureContext(foreign);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      secure.on('error', () => {});
      secure.on('data', (part) => {
        received += part.toString('latin1');
        secure.destroy();
      });
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, received: () => received };
}
