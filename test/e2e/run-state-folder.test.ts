import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import type { Sqlite } from '../../src/base/host.ts';
import { alive } from '../support/cli.ts';
import { errorIn } from '../support/json-lines.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
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
    const ledger = join(place.state, 'ledger.db');
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

describe('while another process keeps the ledger', () => {
  it.each([
    ['a single message', single],
    ['a batch', rig.batch('people.csv')],
  ])('%s ends on the first signal, and sends nothing', async (_, words) => {
    const place = await rig.newPlace();
    rig.writePeople(place, 2);
    expect((await place.bin(rig.batch('people.csv', '--first', '1', '--job', 'other'))).code).toBe(0);
    lock(join(place.state, 'ledger.db'));
    const running = place.start(words);
    await expect.poll(running.stderr, { timeout: 15_000 }).toContain('waiting for');
    alive(running.pid, 'SIGINT');
    expect([await running.ended, errorIn(running.stderr())['code']]).toEqual([130, 'interrupted']);
    expect(place.service.asked).toHaveLength(1);
  });
});

/** Locks a database until the test ends. */
function lock(path: string): void {
  const sqlite: Sqlite | undefined = loadSqlite();
  const database = sqlite && new sqlite.DatabaseSync(path, { timeout: 0 });
  database?.exec('BEGIN EXCLUSIVE');
  onTestFinished(() => database?.close());
}

describe('a single message', () => {
  it('is refused while the same message is unsure in a batch, and sent with --retry-unsure', async () => {
    const place = await rig.newPlace(({ before }) => ({ reply: before === 0 ? 500 : 200 }));
    rig.writePeople(place, 1);
    expect((await place.bin(rig.batch('people.csv'))).code).toBe(10);
    const refused = await place.bin(single);
    expect([refused.code, errorIn(refused.stderr)['code']]).toEqual([11, 'sent-unsure']);
    expect((await place.bin([...single, '--retry-unsure'])).code).toBe(0);
    expect(place.service.asked).toHaveLength(2);
  });

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
