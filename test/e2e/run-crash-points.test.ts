import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import { binary, cleanEnv } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import { canInject, type Change, changesIn, failingFrom, killedAt, recordingChanges } from '../support/strace.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';

/** `BIZMSG_POINTS=1000` tests every change. */
const most = Number(process.env['BIZMSG_POINTS'] ?? (isLong ? 3 : 1));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const atOnce = 3;
const rows = 6;
/** The service refuses this row, so a file of failed rows is written. */
const refused = 5;

describe.skipIf(!canInject).each([
  ['a batch', rig.batch('people.csv', '--concurrency', '2'), undefined],
  ['a batch from stdin', rig.batch('-', '--concurrency', '2'), rig.peopleText(rows)],
  ['an import', ['contacts', 'import', 'people.csv', ...rig.sending, '--concurrency', '2'], undefined],
])('%s', (_, words, input) => {
  let recorded: Promise<readonly Change[]> | undefined;

  it.each<[string, (change: Change) => readonly string[]]>([
    ['is killed before any of its changes to the disk', killedAt],
    ['has a full disk from any of its changes on', (change) => failingFrom(change, 'ENOSPC')],
    ['has a broken disk from any of its changes on', (change) => failingFrom(change, 'EIO')],
    ['has a read-only disk from any of its changes on', (change) => failingFrom(change, 'EROFS')],
  ])(`that %s is completed by the same command (seed ${seed})`, { timeout: 60_000 + most * 8_000 }, async (__, how) => {
    const random = createRandom(seed);
    const all = await (recorded ??= changesOfAll());
    expect(all.length).toBeGreaterThan(30);
    const points = all.length > most ? all.toSorted(() => random() - 0.5).slice(0, most) : all;
    for (let at = 0; at < points.length; at += atOnce)
      await Promise.all(points.slice(at, at + atOnce).map((point) => completed(point, how)));
  });

  /** The changes of a command that is not disturbed. */
  async function changesOfAll(): Promise<readonly Change[]> {
    const whole = await newPlace();
    const trace = join(whole.home, 'trace');
    const { code } = await runUnder(whole, recordingChanges(trace));
    expect(code).toBe(10);
    return changesIn(trace);
  }

  async function completed(change: Change, how: (change: Change) => readonly string[]): Promise<void> {
    const place = await newPlace();
    const point = `${change.call} ${change.n}`;
    const { stdout } = await runUnder(place, how(change));
    const [before] = await rig.runs(place);
    const isEnded = before?.['state'] === 'finished';
    expect([isEnded && stdout === '', point]).toEqual([false, point]);
    const label = isEnded ? point : await expectCompleted(place, point);
    expect([rig.repeated(place.service), label]).toEqual([[], label]);
    const [run] = await rig.runs(place);
    expect([run?.['state'], label]).toEqual(['finished', label]);
    const shown = await rig.rowsShown(place, run?.['id']);
    const outcomes = new Map(shown.map(({ line, outcome }) => [Number(line), outcome]));
    expect([shown.length, outcomes.size, label]).toEqual([rows, rows, label]);
    const unsure = shown.filter(({ outcome }) => outcome === 'unsure');
    expect([unsure.length <= 2, label]).toEqual([true, label]);
    for (const [line, outcome] of outcomes) {
      const replies = place.service.asked.filter(({ phone }) => phone === rig.phoneOf(line - 1));
      const expected = outcome === 'sent' ? 200 : outcome === 'failed' ? 400 : replies.at(-1)?.reply;
      expect([replies.at(-1)?.reply, line, label]).toEqual([expected, line, label]);
    }
  }

  async function expectCompleted(place: Place, point: string): Promise<string> {
    const past = Date.now() / 1_000 - 61;
    for (const name of rig.leftBehind(place)) utimesSync(join(place.home, name), past, past);
    const { code, stdout, stderr } = await place.bin(words, input);
    const label = `${point}: ${stderr}`;
    expect([code, label]).toEqual([10, label]);
    expect([rig.countedIn(rig.summaryIn(stdout)), label]).toEqual([rows, label]);
    expect([rig.leftBehind(place), label]).toEqual([[], label]);
    return label;
  }

  /** Runs the command with the words of another command before it. */
  async function runUnder({ home, env }: Place, prefix: readonly string[]) {
    const [name = '', ...rest] = [...prefix, process.execPath, binary, ...words];
    const options = { cwd: home, env: cleanEnv(home, env), extendEnv: false, reject: false } as const;
    const { exitCode, stdout } = await execa(name, rest, { ...options, ...(input !== undefined && { input }) });
    return { code: exitCode, stdout };
  }
});

async function newPlace(): Promise<Place> {
  const place = await rig.newPlace(({ phone }) => ({ reply: phone === rig.phoneOf(refused) ? 400 : 200 }));
  rig.writePeople(place, rows);
  return place;
}
