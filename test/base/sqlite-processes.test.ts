import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { openDatabase } from '../../src/base/sqlite.ts';
import { type Database, query } from '../../src/base/transaction.ts';
import { cleanEnv, temporaryHome } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { isLong } from '../support/long-tests.ts';

const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../${path}`, import.meta.url)));
const home = temporaryHome();
const bundle = join(home.path, 'sqlite.mjs');
const script = join(home.path, 'worker.mjs');
const schema = ['CREATE TABLE thing (id INTEGER PRIMARY KEY, writer INTEGER) STRICT'];

/** `worker.mjs PATH write|hold`, on the Node or the standalone binary under test. */
const worker = `
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openDatabase } from ${JSON.stringify(pathToFileURL(bundle).href)};
const { loadSqlite } = createRequire(import.meta.url)(${source('bin/sqlite.js')});
const [path, task] = process.argv.slice(2);
const later = (milliseconds, run) => clearTimeout.bind(undefined, setTimeout(run, milliseconds));
const host = { later, now: Date.now, random: Math.random, steady: () => performance.now(), sqlite: loadSqlite };
const note = (text) => writeSync(2, text + '\\n');
const options = { host, schema: ${JSON.stringify(schema)}, sync: 'OFF', isDisposable: false, note };
const database = await openDatabase(path, options);
const add = function* () {
  const [row] = yield { sql: 'INSERT INTO thing (writer) VALUES ($1) RETURNING id', values: [process.pid] };
  return row.id;
};
const tasks = {
  async write() {
    for (;;) {
      const added = await Promise.all([add, add, add, add, add].map((body) => database.write(body)));
      writeSync(1, added.at(-1) + '\\n');
    }
  },
  async hold() {
    await database.write(function* () {
      yield* add();
      writeSync(1, 'held\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    });
    writeSync(1, 'done\\n');
    setInterval(() => {}, 1_000);
  },
};
await tasks[task]();
`;

const hasProc = existsSync('/proc/self/stat');

beforeAll(async () => {
  const made = await rolldown({
    input: fileURLToPath(new URL('../../src/base/sqlite.ts', import.meta.url)),
    platform: 'node',
  });
  await made.write({ file: bundle });
  await made.close();
  writeFileSync(script, worker);
});
afterAll(home.remove);

/** Starts a worker in a process group of its own, as a shell does. */
async function start(path: string, task: 'write' | 'hold') {
  const command = 'set -m; "$@" & echo $!; read -r _ 2>/dev/null';
  const words = ['-c', command, 'bash', process.execPath, script, path, task];
  const shell = spawn('bash', words, { env: cleanEnv(home.path) });
  const text = { stdout: '', stderr: '' };
  shell.stdout.on('data', (part: Buffer) => (text.stdout += part.toString()));
  shell.stderr.on('data', (part: Buffer) => (text.stderr += part.toString()));
  await expect.poll(() => text.stdout).toMatch(/^\d+\n./);
  const pid = Number.parseInt(text.stdout, 10);
  const kill = async () => {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
    shell.stdin.end();
    // In a container, an orphan may remain as a zombie for long.
    await expect.poll(() => stateOf(pid) ?? 'Z').toBe('Z');
  };
  onTestFinished(kill);
  return { pid, stdout: () => text.stdout.replace(/^.*\n/, ''), stderr: () => text.stderr, kill };
}

async function open(path: string, patience?: number): Promise<Database> {
  let time = 0;
  const later = (milliseconds: number, run: () => void) => {
    const timer = setTimeout(() => {
      time += milliseconds;
      run();
    }, 1);
    return () => clearTimeout(timer);
  };
  const host = { later, now: Date.now, random: Math.random, steady: () => time, sqlite: loadSqlite };
  const options = { host, schema, sync: 'OFF', isDisposable: false, note() {} } as const;
  const database = await openDatabase(path, { ...options, ...(patience !== undefined && { patience }) });
  onTestFinished(() => database.close());
  return database;
}

const rows = (database: Database, sql: string) => database.read(() => query(sql));

/** R, S, T and so on, Z if it has ended. */
function stateOf(pid: number): string | undefined {
  if (!existsSync(`/proc/${pid}`)) return undefined;
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
}

describe.runIf(hasProc)('several processes', () => {
  it('write to one database, and lose nothing that was committed when they are killed', async () => {
    const path = join(newHome(), 'things.db');
    for (let round = 0; round < (isLong ? 10 : 4); round++) {
      const writers = await Promise.all([start(path, 'write'), start(path, 'write'), start(path, 'write')]);
      for (const { stdout } of writers) await expect.poll(() => stdout().split('\n').length).toBeGreaterThan(round * 3);
      await Promise.all(writers.map(({ kill }) => kill()));
      const database = await open(path);
      for (const { pid, stdout, stderr } of writers) {
        const printed = Number(stdout().trim().split('\n').at(-1));
        const [row] = await rows(database, `SELECT max(id) AS last FROM thing WHERE writer = ${pid}`);
        expect([Number(row?.['last']) >= printed, stderr()]).toEqual([true, '']);
      }
      const [all] = await rows(database, 'SELECT count(*) AS count, max(id) AS last, count(*) % 5 AS part FROM thing');
      expect([all?.['count'], all?.['part']]).toEqual([all?.['last'], 0]);
      expect(await rows(database, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      await database.close();
    }
  });
});

describe.runIf(hasProc)('a process that is stopped', () => {
  it('in a transaction is named to those that wait, and goes on later', async () => {
    const path = join(newHome(), 'things.db');
    const database = await open(path, 5_000);
    const holder = await start(path, 'hold');
    await expect.poll(holder.stdout).toContain('held');
    process.kill(holder.pid, 'SIGSTOP');
    const error: unknown = await rows(database, 'SELECT 1').catch((error: unknown) => error);
    const message = `process ${holder.pid} has locked ${path} for too long`;
    expect(error).toMatchObject({ code: 'database-busy', exit: 'unsafe', message });
    process.kill(holder.pid, 'SIGCONT');
    await expect.poll(holder.stdout).toContain('done');
    expect(await rows(database, 'SELECT id FROM thing')).toEqual([{ id: 1 }]);
  });
});
