import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import type { Sqlite } from '../../src/base/host.ts';
import { lineOf } from '../../src/base/journal-lines.ts';
import { errorIn, noteCodes } from '../support/json-lines.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';
import { some } from '../support/long-tests.ts';

const words = rig.batch('people.csv', '--job', 'welcome');

describe('a batch refuses to send, and names the file,', () => {
  it.each<[string, string, (file: string) => void]>(
    some([
      ['the ledger lost its end', 'ledger.db', (file) => truncateSync(file, 8_192)],
      ['the ledger is another file', 'ledger.db', (file) => writeFileSync(file, 'x\n'.repeat(9_999))],
      ['a newer version wrote the ledger', 'ledger.db', newerLedger],
      ['the secret belongs to another folder', 'ledger.secret', (file) => writeFileSync(file, Buffer.alloc(32, 1))],
      ['the secret is truncated', 'ledger.secret', (file) => truncateSync(file, 5)],
      ['the secret is missing', 'ledger.secret', (file) => rmSync(file)],
    ]),
  )('if %s', async (_, name, damage) => {
    const place = await sentPlace();
    damage(join(place.state, name));
    rig.writePeople(place, 6);
    const ran = await place.bin(words);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    expect(errorIn(ran.stderr)['message']).toContain(join(place.state, 'ledger'));
    expect(place.service.asked).toHaveLength(4);
  });

  it('or stops, if the ledger is removed meanwhile, without advice that would send rows twice', async () => {
    let answer = () => {};
    const until = new Promise<void>((resolve) => (answer = resolve));
    const place = await rig.newPlace(() => ({ reply: 200, until }));
    rig.writePeople(place, 100);
    const running = place.start(rig.batch('people.csv', '--concurrency', '4'));
    await rig.untilAsked(place, 4, running);
    rmSync(join(place.state, 'ledger.db'));
    answer();
    expect([await running.ended, errorIn(running.stderr())['code']]).toEqual([3, 'database-removed']);
    expect(place.service.asked).toHaveLength(4);
    expect(running.stderr()).toContain('the same command starts from the beginning');
    expect(running.stdout() + running.stderr()).not.toMatch(/run the same command|--retry-unsure|runs resolve/);
  });
});

describe('a damaged log of a run', () => {
  it.each(
    some([
      ['a flipped bit', (file: string) => flip(file, 0.7)],
      ['a damaged first line', (file: string) => flip(file, 0.01)],
      ['a newer version', newer],
      ['no content', (file: string) => truncateSync(file, 0)],
    ]),
  )('with %s does not prevent sends or lists', async (_, damage) => {
    const place = await sentPlace();
    const [file = ''] = logsIn(place);
    damage(file);
    rig.writePeople(place, 6);
    const ran = await place.bin(words);
    expect([ran.code, rig.summaryIn(ran.stdout)]).toMatchObject([0, { sent: 2, skipped: { this_run: 4 } }]);
    const isNoted = readFileSync(file).length > 0;
    expect(noteCodes(ran.stderr).includes('run-log')).toBe(isNoted);
    const [run] = await rig.runs(place);
    const shown = await place.bin(['runs', 'show', String(run?.['id']), '-o', 'json']);
    expect([shown.code, noteCodes(shown.stderr).includes('run-log')]).toEqual([0, isNoted]);
    expect(rig.recordsIn(shown.stdout).length).toBeGreaterThanOrEqual(2);
    expect(place.service.asked).toHaveLength(6);
  });
});

async function sentPlace(): Promise<Place> {
  const place = await rig.newPlace();
  rig.writePeople(place, 4);
  expect((await place.bin(words)).code).toBe(0);
  return place;
}

function logsIn({ state }: Pick<Place, 'state'>): readonly string[] {
  const folder = join(state, 'runs');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ndjson')).map((name) => join(folder, name));
}

/** Flips the lowest bit of one byte. */
function flip(file: string, share: number): void {
  const bytes = readFileSync(file);
  const at = Math.max(2, Math.floor(bytes.length * share));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

function newer(file: string): void {
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n');
  const header: unknown = JSON.parse(first);
  const fields: unknown = Array.isArray(header) ? header[1] : {};
  writeFileSync(file, lineOf({ ...Object(fields), version: 99 }) + rest.join('\n'));
}

function newerLedger(file: string): void {
  const sqlite: Sqlite | undefined = loadSqlite();
  const database = sqlite && new sqlite.DatabaseSync(file, { timeout: 0 });
  database?.exec('PRAGMA user_version = 99');
  database?.close();
}
