import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import type { Row, Transaction } from '../../src/base/transaction.ts';
import { openLogs, openRecorded } from '../../src/logs/database.ts';
import { temporaryHome } from '../support/bin.ts';
import { later } from '../support/cli.ts';

const host = { later, now: Date.now, random: Math.random, steady: () => performance.now(), sqlite: loadSqlite };

function temporary(): string {
  const home = temporaryHome();
  onTestFinished(home.remove);
  return home.path;
}

const forwardsOfDeleted: Transaction<readonly Row[]> = function* () {
  const add = `INSERT INTO event (at, method, path, headers, body, remote, port)
    VALUES (1, 'POST', '/', '[]', x'00ff', '127.0.0.1', 4781)`;
  yield { sql: add, values: [] };
  yield { sql: "INSERT INTO forward (event, at, url, ms) SELECT id, 2, 'http://a', 3 FROM event", values: [] };
  yield { sql: 'DELETE FROM event', values: [] };
  return yield { sql: 'SELECT * FROM forward', values: [] };
};

it('creates the logs, whose forwards are deleted with their event', async () => {
  const folder = temporary();
  const logs = await openLogs(folder, { host, note() {} });
  onTestFinished(() => logs.close());
  expect(await logs.write(forwardsOfDeleted)).toEqual([]);
  expect(existsSync(join(folder, 'logs.db'))).toBe(true);
});

it('creates nothing to read', async () => {
  const folder = temporary();
  expect(await openRecorded(folder, { host, note() {} })).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

it('says which package a Node without SQLite needs to read them', async () => {
  const opening = openRecorded(temporary(), { host: { ...host, sqlite: () => undefined }, note() {} });
  await expect(opening).rejects.toMatchObject({ code: 'no-sqlite' });
});
