import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { type DatabaseOptions, openDatabase } from '../../src/base/sqlite.ts';
import type { Database, Row, Transaction, Value } from '../../src/base/transaction.ts';
import { temporaryHome } from '../support/bin.ts';
import { later } from '../support/cli.ts';

const schema = ['CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, bytes BLOB) STRICT'];

function temporary(): string {
  const home = temporaryHome();
  onTestFinished(home.remove);
  return join(home.path, 'state/things.db');
}

async function open(path = temporary(), options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const host = { later, now: Date.now, random: Math.random, steady: () => performance.now(), sqlite: loadSqlite };
  const database = await openDatabase(path, { host, schema, sync: 'OFF', isDisposable: false, note() {}, ...options });
  onTestFinished(() => database.close());
  return database;
}

function add(id: number, name: Value = null): Transaction<readonly Row[]> {
  return function* () {
    return yield { sql: 'INSERT INTO thing (id, name) VALUES ($1, $2) RETURNING id', values: [id, name] };
  };
}

const names: Transaction<readonly Value[]> = function* () {
  const rows = yield { sql: 'SELECT name FROM thing ORDER BY id', values: [] };
  return rows.map((row) => row['name'] ?? null);
};

describe('a transaction', () => {
  it('returns the rows of its statements', async () => {
    const database = await open();
    expect(await database.write(add(1, 'Ada'))).toEqual([{ id: 1 }]);
    expect(await database.read(names)).toEqual(['Ada']);
  });
});
