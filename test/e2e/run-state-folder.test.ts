import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import type { Sqlite } from '../../src/base/host.ts';
import { cleanEnv, program } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { errorIn } from '../support/json-lines.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
import { thrown } from '../support/thrown.ts';
import * as rig from './runs-rig.ts';

const single = ['send-template', rig.phoneOf(1), 'welcome', '-p', 'P1', '--yes', '-o', 'json'];

describe('with a live key, nothing is sent', () => {
  it.each([
    ['a single message', single],
    ['a batch', rig.batch('people.csv')],
    ['an import', ['contacts', 'import', 'people.csv', ...rig.sending]],
  ])('by %s if the state folder is not writable', async (_, words) => {
    const place = await rig.newPlace();
    rig.writePeople(place, 2);
    mkdirSync(join(place.home, '.local/state'), { recursive: true });
    // Root may write to any folder, so a file takes its place.
    writeFileSync(place.state, '');
    const ran = await place.bin(words);
    expect([ran.code, errorIn(ran.stderr)['message']]).toEqual([3, expect.stringContaining(place.state)]);
    expect(place.service.asked).toEqual([]);
  });

  it.each([
    ['a single message', single],
    ['a batch', rig.batch('people.csv')],
  ])('by %s if the ledger is not writable', async (_, words) => {
    const place = await rig.newPlace();
    rig.writePeople(place, 2);
    expect((await place.bin(rig.batch('people.csv', '--first', '1', '--job', 'other'))).code).toBe(0);
    const ledger = join(place.state, 'old-ledger.db');
    rmSync(ledger);
    mkdirSync(ledger);
    const ran = await place.bin(words);
    expect([ran.code, errorIn(ran.stderr)['message']]).toEqual([3, expect.stringContaining(ledger)]);
    expect(place.service.asked).toHaveLength(1);
  });
});

it.skipIf(!canMount())('names the file if the disk is too small for the rows of stdin', async () => {
  const place = await rig.newPlace();
  mkdirSync(place.state, { recursive: true });
  mount(place.state, 'size=64k,mode=700');
  onTestFinished(() => asRoot('umount', place.state));
  const ran = await place.bin(rig.batch('-'), rig.peopleText(10_000));
  const message = expect.stringMatching(`^cannot use ${place.state}/runs/.*: the disk is full$`);
  expect([ran.code, errorIn(ran.stderr)['message']]).toEqual([3, message]);
});

/** Makes the time of a process pass faster. */
function faster(times: number): Readonly<Record<string, string>> {
  const script = `const time = process.hrtime.bigint; process.hrtime.bigint = () => time() * ${times}n`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

describe('while another process keeps the ledger', () => {
  it.each([
    ['a single message', single],
    ['a batch', rig.batch('people.csv')],
  ])('%s ends on the first signal, and sends nothing', async (_, words) => {
    const place = await rig.newPlace();
    rig.writePeople(place, 2);
    expect((await place.bin(rig.batch('people.csv', '--first', '1', '--job', 'other'))).code).toBe(0);
    lock(join(place.state, 'old-ledger.db'));
    const running = place.start(words, undefined, faster(20));
    await expect.poll(running.stderr, { interval: 10 }).toContain('waiting for');
    alive(running.pid, 'SIGINT');
    expect([await running.ended, errorIn(running.stderr())['code']]).toEqual([130, 'interrupted']);
    expect(place.service.asked).toHaveLength(1);
  });
});

describe('while another process keeps the ledger for more than two minutes', () => {
  it('a single message is not sent', async () => {
    const place = await rig.newPlace();
    expect((await place.bin(single)).code).toBe(0);
    lock(join(place.state, 'old-ledger.db'));
    const running = place.start([...single, '--again'], undefined, faster(600));
    expect([await running.ended, errorIn(running.stderr())['code']]).toEqual([11, 'database-busy']);
    expect(place.service.asked).toHaveLength(1);
  });

  it('a batch stops with a summary, and the same command sends the rest', async () => {
    let answer = () => {};
    const until = new Promise<void>((resolve) => (answer = resolve));
    const place = await rig.newPlace(({ phone }) => ({ reply: 200, ...(phone > rig.phoneOf(20) && { until }) }));
    rig.writePeople(place, 40);
    const words = rig.batch('people.csv', '--concurrency', '4');
    const running = place.start(words, undefined, faster(600));
    await rig.untilAsked(place, 24, running);
    const unlock = lock(join(place.state, 'old-ledger.db'));
    answer();
    expect([await running.ended, errorIn(running.stderr())['code']]).toEqual([11, 'database-busy']);
    const stopped = rig.summaryIn(running.stdout());
    expect(stopped).toMatchObject({ sent: 20, unsure: 4, not_reached: 16 });
    unlock();
    const ended = await place.bin(words);
    expect(rig.summaryIn(ended.stdout)).toMatchObject({ sent: 16, skipped: { this_run: 20, unsure: 4 } });
    expect([place.service.asked.length, rig.repeated(place.service)]).toEqual([40, []]);
    expect(await rig.runs(place)).toEqual([expect.objectContaining({ state: 'finished', sent: 36, unsure: 4 })]);
  });
});

/** Locks a database until the returned function is called or the test ends. */
function lock(path: string): () => void {
  const sqlite: Sqlite | undefined = loadSqlite();
  if (!sqlite) throw new Error('no SQLite');
  const database = new sqlite.DatabaseSync(path, { timeout: 0 });
  // The process under test may have the lock for a moment.
  const begin = () => database.exec('BEGIN EXCLUSIVE');
  while (thrown(begin) instanceof Error);
  let isOpen = true;
  const unlock = () => {
    if (isOpen) database.close();
    isOpen = false;
  };
  onTestFinished(unlock);
  return unlock;
}

it('all files are private, whatever the umask', async () => {
  const place = await rig.newPlace(({ phone }) => ({ reply: phone === rig.phoneOf(1) ? 400 : 200 }));
  rig.writePeople(place, 3);
  const words = rig.batch('-');
  const options = { cwd: place.home, env: cleanEnv(place.home, place.env), extendEnv: false, reject: false } as const;
  const ran = await execa('sh', ['-c', 'umask 000; exec "$@"', 'sh', ...program, ...words], {
    ...options,
    input: rig.peopleText(3),
  });
  expect(ran.exitCode).toBe(10);
  const names = readdirSync(place.state, { recursive: true, encoding: 'utf8' });
  expect(names).toEqual(expect.arrayContaining(['old-ledger.db', 'old-ledger.db-journal', 'ledger.secret', 'logs.db']));
  const open = ['', ...names].filter((name) => (statSync(join(place.state, name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});

describe('a single message', () => {
  it('that was killed in flight is unsure for a batch with the same message', async () => {
    const place = await rig.newPlace(({ before }) => ({ reply: before === 0 ? 'hang' : 200 }));
    rig.writePeople(place, 1);
    const running = place.start(single);
    await rig.untilAsked(place, 1, running);
    await rig.killed(running);
    const refused = await place.bin(rig.batch('people.csv'));
    expect([refused.code, errorIn(refused.stderr)['code']]).toEqual([11, 'sent-before']);
    expect(place.service.asked).toHaveLength(1);
  });
});
