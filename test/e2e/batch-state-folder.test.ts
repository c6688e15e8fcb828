import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import type { Sqlite } from '../../src/base/host.ts';
import { program, run } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { errorIn } from '../support/json-lines.ts';
import { thrown } from '../support/thrown.ts';
import * as rig from './rig.ts';

const single = ['send-template', rig.phoneOf(1), 'welcome', '-p', 'P1', '--yes', '-o', 'json'];

describe('with a live key, nothing is sent', () => {
  it.each([
    ['a single message', single],
    ['a batch', rig.batch('people.csv')],
    ['an import', rig.contacts('people.csv')],
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
});

describe('while another process has locked the record', () => {
  it.each([
    ['a single message', single],
    ['a batch', rig.batch('people.csv')],
  ])('%s ends on the first signal, and sends nothing', async (_, words) => {
    const place = await rig.newPlace();
    rig.writePeople(place, 2);
    expect((await place.bin(rig.batch('people.csv', '--first', '1', '--batch', 'other'))).code).toBe(0);
    lock(join(place.state, 'ledger.db'));
    const running = place.start(words, undefined, rig.faster(20));
    await expect.poll(running.stderr, { interval: 10 }).toContain('waiting for');
    alive(running.pid, 'SIGINT');
    expect([await running.ended, errorIn(running.stderr())['code']]).toEqual([130, 'interrupted']);
    expect(place.service.asked).toHaveLength(1);
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
  const words = ['sh', '-c', 'umask 000; exec "$@"', 'sh', ...program, ...rig.batch('-')];
  expect((await run(words, { ...place, cwd: place.home, input: rig.peopleText(3) })).code).toBe(10);
  const names = readdirSync(place.state, { recursive: true, encoding: 'utf8' });
  expect(names).toEqual(expect.arrayContaining(['ledger.db', 'ledger.db-journal', 'ledger.mark']));
  const open = ['', ...names].filter((name) => (statSync(join(place.state, name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});
