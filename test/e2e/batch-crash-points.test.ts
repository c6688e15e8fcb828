import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import { program, run } from '../support/bin.ts';
import { errorIn } from '../support/json-lines.ts';
import { isLong } from '../support/long-tests.ts';
import { canInject, type Change, changesIn, failingFrom, killedAt, recordingChanges } from '../support/strace.ts';
import * as rig from './rig.ts';

/** `BIZMSG_POINTS=1000` tests every change. */
const most = Number(process.env['BIZMSG_POINTS'] ?? (isLong ? 3 : 1));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const atOnce = 3;
const few = 6;
const many = 2_100;
/** The service refuses this row. */
const refused = 5;
/** With this rate, a live batch has at most four rows in flight. An import begins with more than its rows. */
const slow = ['--rate', '600/m'];
const inFlight = 4;
const timeout = 60_000 + most * 8_000;
const tried = `${most} ${most === 1 ? 'point' : 'points'}, seed ${seed}`;

type How = (change: Change) => readonly string[];

const faults: readonly [string, How][] = [
  ['is killed before any of its changes to the disk', killedAt],
  ['has a full disk from any of its changes on', (change) => failingFrom(change, 'ENOSPC')],
  ['has a broken disk from any of its changes on', (change) => failingFrom(change, 'EIO')],
];

interface Kind {
  /** Runs undisturbed before the command. */
  readonly before?: readonly string[];
  readonly words: readonly string[];
  readonly inFlight?: number;
  readonly rows?: number;
  /** How many of them the batch reaches; all but the refused one if undefined. */
  readonly reached?: number;
}

const kinds: readonly [string, Kind][] = [
  ['a batch', { words: rig.batch('people.csv', ...slow) }],
  ['an import', { words: rig.contacts('people.csv'), inFlight: few }],
  ['a resumed batch', { before: rig.batch('people.csv', '--first', '1'), words: rig.resume(...slow) }],
  // It is loaded in several transactions.
  [
    'a load into a large batch',
    {
      before: rig.batch('many.csv', '--first', '2'),
      words: rig.batch('many.csv', '--first', '6', '-p', 'later', ...slow),
      rows: many,
      reached: 6,
    },
  ],
];

/** The changes of each command, recorded once. */
const recorded = new Map<Kind, Promise<readonly Change[]>>();

async function changesOf(kind: Kind): Promise<readonly Change[]> {
  const place = await newPlace(kind);
  const trace = join(place.home, 'trace');
  expect((await runUnder(place, kind, recordingChanges(trace))).code).toBeOneOf([0, 10]);
  return changesIn(trace);
}

/** Runs a command with each of some faults, and what follows. */
async function atPoints(kind: Kind, act: (point: Change, isResumed: boolean) => Promise<void>): Promise<void> {
  const random = createRandom(seed);
  if (!recorded.has(kind)) recorded.set(kind, changesOf(kind));
  const all = (await recorded.get(kind)) ?? [];
  expect(all.length).toBeGreaterThan(30);
  const points = all.toSorted(() => random() - 0.5).slice(0, most);
  for (let at = 0; at < points.length; at += atOnce)
    await Promise.all(points.slice(at, at + atOnce).map((point) => act(point, random() < 0.5)));
}

describe.skipIf(!canInject).each(kinds)('%s', (_, kind) => {
  it.each(faults)(`that %s is completed by the same command (${tried})`, { timeout }, (__, how) =>
    atPoints(kind, async (change, isResumed) => {
      const place = await newPlace(kind);
      const crashed = await runUnder(place, kind, how(change));
      const accepted = place.service.asked.filter(({ reply }) => reply === 200).length;
      const { rows = few, reached } = kind;
      // A resumed batch would reach all.
      const resumed = isResumed && reached === undefined ? await place.bin(rig.resume()) : undefined;
      const past = Date.now() / 1_000 - 61;
      for (const path of rig.leftBehind(place)) utimesSync(join(place.home, path), past, past);
      const again = await place.bin(kind.words);
      const report = await rig.rowsOf(place);
      labeled([change, crashed, resumed, again], () => {
        expect(crashed.code).not.toBe(1);
        expect(isTrue(crashed.stdout, accepted)).toBe(true);
        // The batch may not exist yet, or not be loaded to its end.
        const { code = 0, stderr = '' } = resumed ?? {};
        const refusal = code === 5 || code === 11 ? errorIn(stderr)['code'] : code;
        expect(refusal).toBeOneOf(['not-found', 'batch-cut-off', 0, 10]);
        const summary = rig.summaryIn(again.stdout);
        expect(rig.countedIn(summary)).toBe(rows);
        expect([rig.repeated(place.service), rig.leftBehind(place)]).toEqual([[], []]);
        expect([report.length, new Set(report.map(({ row }) => row)).size]).toEqual([rows, rows]);
        const settled = report.filter(({ outcome }) => outcome !== 'waiting');
        expect(rig.misjudged(place.service, settled)).toEqual([]);
        const count = (wanted: string) => settled.filter(({ outcome }) => outcome === wanted).length;
        const unsure = count('unsure');
        expect(reached === undefined ? settled.length : count('sent') + unsure).toBe(reached ?? rows);
        expect(unsure).toBeLessThanOrEqual(kind.inFlight ?? inFlight);
        expect(summary['unsure']).toBe(unsure);
        // Failed rows are reported once, unsure ones each time.
        expect(again.code).toBeOneOf(unsure > 0 ? [10] : [0, 10]);
      });
    }),
  );
});

describe.skipIf(!canInject)('a single message', () => {
  const kind: Kind = { words: ['send-template', rig.phoneOf(1), 'welcome', '-p', 'P1', '-o', 'json'] };

  it.each(faults)(`that %s is sent once by the same command (${tried})`, { timeout }, (_, how) =>
    atPoints(kind, async (change) => {
      const place = await newPlace(kind);
      const crashed = await runUnder(place, kind, how(change));
      const asked = place.service.asked.length;
      const again = await place.bin(kind.words);
      labeled([change, crashed, again], () => {
        expect(crashed.code).not.toBe(1);
        const isRefused = again.code === 11;
        expect(isRefused ? errorIn(again.stderr)['code'] : again.code).toBeOneOf(['sent-before', 'sent-unsure', 0]);
        expect(place.service.asked).toHaveLength(isRefused ? asked : 1);
      });
    }),
  );
});

/** Whether a summary, if there is one, knows how many rows the service accepted, apart from the unsure ones. */
function isTrue(stdout: string, accepted: number): boolean {
  if (stdout === '') return true;
  const { sent, unsure } = rig.summaryIn(stdout);
  return Number(sent) <= accepted && accepted <= Number(sent) + Number(unsure);
}

/** Adds what happened to a failed expectation. */
function labeled(happened: unknown, check: () => void): void {
  try {
    check();
  } catch (cause) {
    throw new Error(JSON.stringify(happened, undefined, 2), { cause });
  }
}

/** Runs the command with the words of another command before it. */
function runUnder({ home, env }: rig.Place, { words }: Kind, prefix: readonly string[]) {
  return run([...prefix, ...program, ...words], { home, env, cwd: home });
}

async function newPlace({ before }: Kind): Promise<rig.Place> {
  const place = await rig.newPlace(({ phone }) => ({ reply: phone === rig.phoneOf(refused) ? 400 : 200 }));
  rig.writePeople(place, few);
  rig.writePeople(place, many, 'many.csv');
  const { code } = before ? await place.bin(before) : { code: 0 };
  expect(code).toBe(0);
  return place;
}
