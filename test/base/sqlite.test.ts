import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { type DatabaseOptions, openDatabase } from '../../src/base/sqlite.ts';
import { type Database, query, type Row, type Transaction, type Value } from '../../src/base/transaction.ts';
import { makePipe } from '../support/disk.ts';
import { newHome } from '../support/fake-service.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
import { posixOnly } from '../support/system.ts';

const engine = fileURLToPath(new URL('../../bin/sqlite.js', import.meta.url));
const schema = ['CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT, bytes BLOB) STRICT'];

function temporary(): string {
  return join(newHome(), 'state/things.db');
}

/** A host whose time passes only while it waits. */
function host(): DatabaseOptions['host'] {
  let time = 0;
  return {
    later(milliseconds, run) {
      const timer = setImmediate(() => {
        time += milliseconds;
        run();
      });
      return () => clearImmediate(timer);
    },
    now: () => Date.UTC(2026, 0, 2),
    random: Math.random,
    steady: () => time,
    sqlite: loadSqlite,
  };
}

async function open(path = temporary(), options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const complete: DatabaseOptions = { host: host(), schema, sync: 'OFF', isDisposable: false, note() {}, ...options };
  const database = await openDatabase(path, complete);
  onTestFinished(() => database.close());
  return database;
}

/** Creates a database with one thing, and closes it. */
async function written(name = 'first'): Promise<string> {
  const path = temporary();
  const database = await open(path);
  await database.write(add(1, name));
  await database.close();
  return path;
}

function add(id: number, name: Value = null): Transaction<readonly Row[]> {
  return () => query('INSERT INTO thing (id, name) VALUES ($1, $2) RETURNING id', id, name);
}

const names: Transaction<readonly unknown[]> = function* () {
  const rows = yield { sql: 'SELECT name FROM thing ORDER BY id', values: [] };
  return rows.map((row) => row['name']);
};

/** Another connection that has the lock. */
function lock(path: string, sql = 'BEGIN EXCLUSIVE'): { release(): void } {
  const sqlite = loadSqlite();
  if (!sqlite) throw new Error('no SQLite');
  const other = new sqlite.DatabaseSync(path, { timeout: 0 });
  other.exec(sql);
  const release = () => other.close();
  return { release };
}

/** The number of commits in a file that is not open. */
function commitsIn(path: string): number {
  return readFileSync(path).readUInt32BE(24);
}

/** What a promise rejects with; undefined if it resolves. */
const failed = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => undefined).catch((error) => error);

describe('a statement', () => {
  it.each([
    ['a text', 'Zoë 日本'],
    ['a fraction', 1.5],
    ['a time', 1_790_000_000_000],
    ['a negative integer', -1],
    ['nothing', null],
    ['bytes', new Uint8Array([0, 255])],
  ])('reads back %s', async (_, value) => {
    const database = await open();
    const [row] = await database.read(() => query('SELECT $1 AS value', value));
    expect(row?.['value']).toEqual(value);
  });

  it('may use its values in any order, and several times', async () => {
    const database = await open();
    const rows = await database.read(() =>
      query('SELECT $2 AS a, $1 AS b, $2 AS c, $10 AS d', ...Array.from('1234567890')),
    );
    expect(rows).toEqual([{ a: '2', b: '1', c: '2', d: '0' }]);
  });

  it('fails if a value is missing', async () => {
    const database = await open();
    await expect(database.read(() => query('SELECT $1, $2', 'one'))).rejects.toThrow('$2 has no value');
  });
});

describe('transactions', () => {
  it('that start in one turn of the event loop are committed together', async () => {
    const path = await written();
    const before = commitsIn(path);
    const database = await open(path);
    const started = [2, 3, 4].map((id) => database.write(add(id)));
    await Promise.resolve();
    started.push(database.write(add(5)));
    await Promise.all(started);
    await database.close();
    expect(commitsIn(path)).toBe(before + 1);
  });

  it('do not fail with another transaction of their group', async () => {
    const database = await open();
    const broken: Transaction<void> = function* () {
      yield* add(3)();
      throw new Error('broken');
    };
    const done = [add(1, 'Ada'), broken, add(1), add(2, 'Grace')].map((body) => failed(database.write<unknown>(body)));
    const [first, second, third, fourth] = await Promise.all(done);
    expect(second).toMatchObject({ message: 'broken' });
    expect(third).toMatchObject({ message: expect.stringContaining('UNIQUE') });
    expect([first, fourth]).toEqual([undefined, undefined]);
    expect(await database.read(names)).toEqual(['Ada', 'Grace']);
  });

  it('are all committed before the database closes', async () => {
    const path = temporary();
    const database = await open(path);
    const added = database.write(add(1, 'Ada'));
    await database.close();
    await added;
    expect(await (await open(path)).read(names)).toEqual(['Ada']);
    await expect(database.write(add(2))).rejects.toThrow('closed');
  });
});

describe('while another process has the lock', () => {
  it.each(['read', 'write'] as const)('a %s waits', async (kind) => {
    const path = await written();
    const database = await open(path);
    const { release } = lock(path);
    const waited: string[] = [];
    const done = database[kind](names).then(() => waited.push('done'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    waited.push('released');
    release();
    await done;
    expect(waited).toEqual(['released', 'done']);
  });

  it('an aborted transaction ends, and the others go on', async () => {
    const path = await written();
    const database = await open(path);
    const { release } = lock(path);
    const stop = new AbortController();
    const [aborted, other] = [failed(database.write(add(2, 'aborted'), stop.signal)), database.write(add(3, 'other'))];
    setTimeout(() => stop.abort('SIGINT'), 20);
    expect(await aborted).toMatchObject({ exit: 'interrupted', code: 'interrupted' });
    release();
    await other;
    expect(await database.read(names)).toEqual(['first', 'other']);
  });

  it('a note names the file once', async () => {
    const path = await written();
    const notes: string[] = [];
    const database = await open(path, { note: (text) => notes.push(text), patience: 60_000 });
    const { release } = lock(path);
    onTestFinished(release);
    await failed(database.write(add(2)));
    expect(notes).toEqual([expect.stringMatching(`^waiting for ${path}, which .*process.* uses$`)]);
  });

  it.each([
    ['two minutes', {}, 120_000],
    ['no time', { patience: 0 }, 0],
  ])('a transaction waits for %s', async (_, options, least) => {
    const path = await written();
    const clock = host();
    const database = await open(path, { ...options, host: clock });
    const { release } = lock(path);
    const both = await Promise.all([failed(database.write(add(2))), failed(database.write(add(3)))]);
    for (const error of both) expect(error).toMatchObject({ exit: 'unsafe', code: 'database-busy' });
    expect(clock.steady()).toBeGreaterThanOrEqual(least);
    expect(clock.steady()).toBeLessThan(least + 100);
    release();
    await database.write(add(4, 'later'));
    expect(await database.read(names)).toEqual(['first', 'later']);
  });
});

describe('the files', () => {
  it.each([
    ['journal_mode', 'truncate'],
    ['synchronous', 2],
    ['secure_delete', 1],
    ['foreign_keys', 1],
  ])('are written with %s = %s', async (pragma, value) => {
    const database = await open(temporary(), { sync: 'FULL' });
    expect(await database.read(() => query(`PRAGMA ${pragma}`))).toEqual([{ [pragma]: value }]);
  });

  it('shrink when rows are deleted', async () => {
    const path = temporary();
    const database = await open(path);
    await database.write(() => query('INSERT INTO thing (bytes) VALUES (zeroblob(1000000))'));
    const before = statSync(path).size;
    await database.write(() => query('DELETE FROM thing'));
    expect(statSync(path).size).toBeLessThan(before / 10);
  });
});

describe('the schema', () => {
  it('is brought up to date, and keeps the rows', async () => {
    const path = await written();
    const added = 'ALTER TABLE thing ADD COLUMN size INTEGER; UPDATE thing SET size = 7';
    const database = await open(path, { schema: [...schema, added] });
    expect(await database.read(() => query('SELECT name, size FROM thing'))).toEqual([{ name: 'first', size: 7 }]);
  });

  it('stays as it is if a step fails', async () => {
    const path = await written();
    await expect(open(path, { schema: [...schema, 'DELETE FROM thing', 'not SQL'] })).rejects.toThrow('syntax error');
    expect(await (await open(path)).read(names)).toEqual(['first']);
  });

  it.each([true, false])('of a newer version is refused (disposable: %s)', async (isDisposable) => {
    const path = await written();
    await (await open(path, { schema: [...schema, ''] })).close();
    const error = await failed(open(path, { isDisposable }));
    expect(error).toMatchObject({ exit: 'configuration', code: 'database-newer' });
    expect(await (await open(path, { schema: [...schema, ''] })).read(names)).toEqual(['first']);
  });
});

function replace(path: string): void {
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
}

const takeAway: readonly (readonly [string, (path: string) => void])[] = [
  ['removed', (path) => rmSync(path)],
  ['removed with its folder', (path) => rmSync(dirname(path), { recursive: true })],
  ['replaced', replace],
];

describe.each(takeAway)('a file that is %s while it is open', (_, act) => {
  posixOnly('an open file cannot be removed or replaced');

  it('ends the work', async () => {
    const path = await written();
    const database = await open(path);
    act(path);
    for (const done of [database.write(add(2)), database.read(names)])
      expect(await failed(done)).toMatchObject({ exit: 'configuration', code: 'database-removed' });
  });

  it('is opened again if it is disposable', async () => {
    const path = await written();
    const database = await open(path, { isDisposable: true });
    act(path);
    await database.write(add(2, 'second'));
    expect(await (await open(path)).read(names)).toContain('second');
  });
});

it.each([
  ['a folder', mkdirSync],
  ['a pipe', makePipe],
])('%s in the place of a database is refused', async (_, put) => {
  const path = await written();
  rmSync(path);
  put(path);
  await expect(open(path)).rejects.toMatchObject({ exit: 'configuration', code: 'file-unusable' });
});

const damages: readonly (readonly [string, (path: string) => void])[] = [
  ['is not a database', (path) => writeFileSync(path, 'nothing but text '.repeat(1_000))],
  ['lost its end', (path) => truncateSync(path, 4_096)],
  [
    'has a page of zeros',
    (path) => {
      const bytes = readFileSync(path);
      writeFileSync(path, Buffer.concat([bytes.subarray(0, 4_096), Buffer.alloc(bytes.length - 4_096)]));
    },
  ],
];

describe.each(damages)('a file that %s', (_, damage) => {
  it('is refused', async () => {
    const path = await written();
    damage(path);
    const error = await failed(open(path).then((database) => database.write(add(2))));
    const message: unknown = expect.stringContaining(path);
    expect(error).toMatchObject({ exit: 'configuration', code: 'database-damaged', message });
  });

  it('is moved aside if it is disposable', async () => {
    const path = await written();
    damage(path);
    const notes: string[] = [];
    const database = await open(path, { isDisposable: true, note: (text) => notes.push(text) });
    await database.write(add(2, 'second'));
    expect(await database.read(names)).toEqual(['second']);
    expect(readdirSync(dirname(path))).toContain('things.db.damaged-2026-01-02T000000.000Z');
    expect(notes).toEqual([expect.stringContaining(`${path} was damaged`)]);
  });
});

it('a disposable file that is damaged while it is open is moved aside', async () => {
  const path = await written();
  const database = await open(path, { isDisposable: true });
  const process = `require('node:fs').writeFileSync(process.argv[1], 'nothing but text '.repeat(1000))`;
  execFileSync('node', ['-e', process, path]);
  await Promise.all([database.write(add(2, 'second')), database.write(add(3, 'third'))]);
  expect(await database.read(names)).toEqual(['second', 'third']);
});

it.runIf(canMount())('a disk that is read-only can be read', async () => {
  const path = temporary();
  const folder = dirname(path);
  mkdirSync(folder);
  mount(folder, 'size=64k');
  // The package for Node 20 closes a file later.
  onTestFinished(() => asRoot('umount', '--lazy', folder));
  const before = await open(path);
  await before.write(add(1, 'first'));
  await before.close();
  asRoot('mount', '--bind', folder, folder);
  asRoot('mount', '-o', 'remount,bind,ro', folder);
  onTestFinished(() => asRoot('umount', '--lazy', folder));
  const database = await open(path, { sync: 'FULL' });
  expect(await database.read(names)).toEqual(['first']);
  expect(await failed(database.write(add(2)))).toMatchObject({ exit: 'configuration', code: 'state-unwritable' });
  await database.close();
});

describe('the engine', () => {
  it('is loaded without a warning, and later warnings are printed', () => {
    const script = `
      const { loadSqlite } = require(${JSON.stringify(engine)});
      new (loadSqlite().DatabaseSync)(':memory:').close();
      process.emitWarning('of another kind');`;
    const { stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(stderr).toMatch(/^\(node:\d+\) Warning: of another kind\n.*\n$/);
  });

  it.runIf(process.versions.node.startsWith('20.'))(
    'needs the optional dependency on Node 20, and names it',
    async () => {
      const copy = join(newHome(), 'sqlite.js');
      copyFileSync(engine, copy);
      const loaded = createRequire(copy)(copy).loadSqlite();
      expect(loaded).toBeUndefined();
      expect(await failed(open(temporary(), { host: { ...host(), sqlite: () => loaded } }))).toMatchObject({
        exit: 'configuration',
        code: 'no-sqlite',
        message: expect.stringContaining('@photostructure/sqlite'),
        hint: 'use Node 22.13 or newer, or install bizmsg again without --omit=optional',
      });
    },
  );

  it.runIf(process.versions.node.startsWith('20.'))('is missing if the dependency has no build for this system', () => {
    const script = `require(${JSON.stringify(engine)}).loadSqlite()`;
    expect(execFileSync(process.execPath, ['--no-addons', '-p', script], { encoding: 'utf8' })).toBe('undefined\n');
  });
});
