import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lineOf } from '../../src/base/journal-lines.ts';
import { errorIn, noteCodes } from '../support/json-lines.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';
import { some } from '../support/long-tests.ts';

const words = rig.batch('people.csv', '--job', 'welcome');

describe('a batch refuses to send, and names the file,', () => {
  it.each(
    some([
      ['a bit of a segment is flipped', segment, (file: string) => flip(file, 0.5)],
      ['the first line of a segment is damaged', segment, (file: string) => flip(file, 0.01)],
      ['a newer version wrote a segment', segment, newer],
      ['a line in the middle of a segment is missing', segment, cutInside],
      ['a bit of the index is flipped', index, (file: string) => flip(file, 0.5)],
      ['a newer version wrote the index', index, newer],
      ['the secret belongs to another folder', secret, (file: string) => writeFileSync(file, Buffer.alloc(32, 1))],
      ['the secret is truncated', secret, (file: string) => truncateSync(file, 5)],
      ['the secret is missing', secret, (file: string) => rmSync(file)],
    ]),
  )('if %s', async (_, fileOf, damage) => {
    const place = await sentPlace();
    const file = fileOf(place);
    damage(file);
    rig.writePeople(place, 6);
    const ran = await place.bin(words);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    // The check value in the ledger detects a changed secret.
    const named = fileOf === secret ? join(place.state, 'ledger') : file;
    expect(errorIn(ran.stderr)['message']).toContain(named);
    expect(place.service.asked).toHaveLength(4);
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

it('an incomplete last line of the ledger is removed with a note, and the remaining rows are sent', async () => {
  const place = await sentPlace();
  appendFileSync(segment(place), '[123456,{"type":"wor');
  rig.writePeople(place, 6);
  const ran = await place.bin(words);
  expect([ran.code, rig.summaryIn(ran.stdout)]).toMatchObject([0, { sent: 2, skipped: { this_run: 4 } }]);
  expect(noteCodes(ran.stderr)).toContain('ledger-repaired');
  expect((await place.bin(words)).stderr).not.toContain('ledger-repaired');
});

async function sentPlace(): Promise<Place> {
  const place = await rig.newPlace();
  rig.writePeople(place, 4);
  expect((await place.bin(words)).code).toBe(0);
  return place;
}

function segment({ state }: Pick<Place, 'state'>): string {
  const folder = join(state, 'ledger');
  return join(folder, readdirSync(folder).find((name) => /^\d{4}-/.test(name)) ?? '');
}

function index({ state }: Pick<Place, 'state'>): string {
  return join(state, 'ledger', 'runs.ndjson');
}

function secret({ state }: Pick<Place, 'state'>): string {
  return join(state, 'ledger', 'secret');
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

function cutInside(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [...lines.slice(0, 3), ...lines.slice(4)].join('\n'));
}
