import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import { bin } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';

const preload = new URL('../support/killed-preload.cjs', import.meta.url).pathname;
/** `BIZMSG_POINTS=1000` tests every change. */
const most = Number(process.env['BIZMSG_POINTS'] ?? (isLong ? 10 : 2));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const atOnce = 3;
const rows = 6;
/** The service refuses this row, so a file of failed rows is written. */
const refused = 5;

describe.each([
  ['a batch', rig.batch('people.csv', '--concurrency', '2'), undefined],
  ['a batch from stdin', rig.batch('-', '--concurrency', '2'), rig.peopleText(rows)],
  ['an import', ['contacts', 'import', 'people.csv', ...rig.sending, '--concurrency', '2'], undefined],
])('%s', (_, words, input) => {
  it.each([
    ['is killed before any of its changes to the disk', {}],
    ['has a full disk from any of its changes on', { BIZMSG_FULL: '1' }],
  ])(`that %s is completed by the same command (seed ${seed})`, { timeout: 60_000 + most * 6_000 }, async (__, how) => {
    const random = createRandom(seed);
    const whole = await newPlace();
    const counted = join(whole.home, 'changes');
    const { code } = await killedAt(whole, 0, { BIZMSG_COUNTED: counted });
    expect(code).toBe(10);
    const changes = Number(readFileSync(counted, 'utf8'));
    expect(changes).toBeGreaterThan(30);
    const all = Array.from({ length: changes }, (___, at) => at + 1);
    const points = all.length > most ? all.toSorted(() => random() - 0.5).slice(0, most) : all;
    for (let at = 0; at < points.length; at += atOnce)
      await Promise.all(points.slice(at, at + atOnce).map((point) => completed(point, how)));
  });

  async function completed(point: number, how: Readonly<Record<string, string>>): Promise<void> {
    const place = await newPlace();
    const { stdout } = await killedAt(place, point, how);
    const [before] = await rig.runs(place);
    const isEnded = before?.['state'] === 'finished';
    expect([isEnded && stdout === '', point]).toEqual([false, point]);
    const label = isEnded ? `point ${point}` : await expectCompleted(place, point);
    expect([rig.repeated(place.service), label]).toEqual([[], label]);
    const [run] = await rig.runs(place);
    expect([run?.['state'], label]).toEqual(['finished', label]);
    const shown = await rig.rowsShown(place, run?.['id']);
    const outcomes = new Map(shown.map(({ row, outcome }) => [row, outcome]));
    expect([shown.length, outcomes.size, label]).toEqual([rows, rows, label]);
    const unsure = shown.filter(({ outcome }) => outcome === 'unsure');
    expect([unsure.length <= 2, label]).toEqual([true, label]);
    for (const [row, outcome] of outcomes) {
      const replies = place.service.asked.filter(({ phone }) => phone === rig.phoneOf(Number(row)));
      const expected = outcome === 'sent' ? 200 : outcome === 'failed' ? 400 : replies.at(-1)?.reply;
      expect([replies.at(-1)?.reply, row, label]).toEqual([expected, row, label]);
    }
  }

  async function expectCompleted(place: Place, point: number): Promise<string> {
    const past = Date.now() / 1_000 - 61;
    for (const name of rig.leftBehind(place)) utimesSync(join(place.home, name), past, past);
    const { code, stdout, stderr } = await place.bin(words, input);
    const label = `point ${point}: ${stderr}`;
    expect([code, label]).toEqual([10, label]);
    expect([rig.countedIn(rig.summaryIn(stdout)), label]).toEqual([rows, label]);
    expect([rig.leftBehind(place), label]).toEqual([[], label]);
    return label;
  }

  function killedAt(place: Place, point: number, more: Readonly<Record<string, string>> = {}) {
    const env = { ...place.env, ...more, NODE_OPTIONS: `--require=${preload}`, BIZMSG_KILLED_AT: String(point) };
    return bin(words, { home: place.home, cwd: place.home, env, ...(input !== undefined && { input }) });
  }
});

async function newPlace(): Promise<Place> {
  const place = await rig.newPlace(({ phone }) => ({ reply: phone === rig.phoneOf(refused) ? 400 : 200 }));
  rig.writePeople(place, rows);
  return place;
}
