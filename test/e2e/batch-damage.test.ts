import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { errorIn } from '../support/json-lines.ts';
import { newWorld } from '../support/world.ts';
import * as rig from './rig.ts';

function change(file: string, sql: string): void {
  const sqlite = loadSqlite();
  if (!sqlite) throw new Error('this Node has no SQLite');
  const database = new sqlite.DatabaseSync(file, { timeout: 1_000 });
  database.exec(sql);
  database.close();
}

/** The phone is in the table and in its index; only a check of the whole file, which a restart needs, finds it. */
function damageIndex(file: string): void {
  change(file, "INSERT INTO opt_out (account, phone, at, word) VALUES ('a', '+12025559999', 1, '')");
  change(file, "UPDATE batch SET worker = 'of another boot', until = 1");
  const bytes = readFileSync(file);
  bytes.write('x', bytes.indexOf('+12025559999'));
  writeFileSync(file, bytes);
}

describe('a batch refuses to send', () => {
  it.each<[string, string, number, (file: string) => void]>([
    ['is another file', 'database-damaged', 3, (file) => writeFileSync(file, 'x\n'.repeat(9_999))],
    ['is cut off', 'database-damaged', 3, (file) => truncateSync(file, 9_000)],
    ['is of a newer version', 'database-newer', 3, (file) => change(file, 'UPDATE meta SET version = 99')],
    ['was damaged in a page before a restart during its work', 'database-damaged', 3, damageIndex],
  ])('if its record %s', async (_, code, exit, damage) => {
    const place = await rig.newPlace();
    rig.writePeople(place, 4);
    expect((await place.bin(rig.batch('people.csv'))).code).toBe(0);
    damage(join(place.state, 'ledger.db'));
    rig.writePeople(place, 6);
    const ran = await place.bin(rig.batch('people.csv'));
    expect([ran.code, ran.stdout, errorIn(ran.stderr)['code']]).toEqual([exit, '', code]);
    expect(place.service.asked).toHaveLength(4);
  });

  it('or stops, if its record is removed meanwhile, without advice that would send rows twice', async () => {
    const { until, open: answer } = rig.gate();
    const place = await rig.newPlace(() => ({ reply: 200, until }));
    rig.writePeople(place, 100);
    const running = place.start(rig.batch('people.csv'));
    await rig.untilAsked(place, 4, running);
    rmSync(join(place.state, 'ledger.db'));
    answer();
    expect([await running.ended, errorIn(running.stderr())['code']]).toEqual([3, 'database-removed']);
    expect(place.service.asked).toHaveLength(4);
    expect(running.stderr()).toContain('--accept-loss starts from the beginning');
    expect(running.stdout() + running.stderr()).not.toMatch(/repeat the command|batches (?:resume|mark)|--resend/);
    const again = await place.bin(rig.batch('people.csv'));
    expect([again.code, errorIn(again.stderr)['code'], place.service.asked.length]).toEqual([11, 'ledger-older', 4]);
  });
});

it('a batch of the local sandbox whose record is damaged starts with an empty one, and notes it', async () => {
  const world = await newWorld();
  const state = join(world.home, '.local/state/bizmsg');
  rig.writePeople(world, 3);
  const words = ['send-batch', 'welcome', join(world.home, 'people.csv'), '-o', 'json'];
  expect((await world.run(words)).code).toBe(0);
  writeFileSync(join(state, 'local.db'), 'x\n'.repeat(9_999));
  const ran = await world.run(words);
  expect([ran.code, rig.summaryIn(ran.stdout)]).toMatchObject([0, { is_new: true, sent: 3 }]);
  expect(ran.stderr).toContain('local.db was damaged and starts again');
  expect(readdirSync(state)).toContainEqual(expect.stringMatching(/^local\.db\.damaged-/));
});
