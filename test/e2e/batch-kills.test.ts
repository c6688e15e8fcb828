import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import type { Running } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import type { Answering } from '../support/service.ts';
import * as rig from './rig.ts';

/** `bench/kills.mjs` runs more. */
const kills = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 10 : 6));
const killsOfEach = isLong ? 5 : 2;
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The number of requests before a kill. */
const mostBetween = 24;

const kinds = [
  { what: 'send-batch', words: (rate: string) => rig.batch('people.csv', '--rate', rate) },
  { what: 'send-batch -', words: (rate: string) => rig.batch('-', '--rate', rate) },
  { what: 'contacts import', words: (rate: string) => rig.contacts('people.csv', '--rate', rate) },
] as const;

/** With the rates, few rows are in flight, or 64. */
const rates = [
  { rate: '600/m', most: 4, rows: 32 },
  { rate: 'none', most: 64, rows: 96 },
] as const;

const campaigns = Array.from({ length: Math.ceil(kills / killsOfEach) }, (_, at) => {
  const { rate, most, rows } = rates[at % rates.length] ?? rates[0];
  const kind = kinds[at % kinds.length] ?? kinds[0];
  // An import begins with 16 rows in flight.
  const inFlight = kind.what === 'contacts import' ? Math.max(most, 16) : most;
  // Enough rows for all kills.
  return { ...kind, seed: seed + at, rate, most: inFlight, rows: killsOfEach * rows };
});

type Campaign = (typeof campaigns)[number];

/** The phone of the last batch, which must not fail. */
const newcomer = '+12025550199';

it.each(campaigns)(
  `kill -9 of $what with at most $most in flight, ${killsOfEach} times: each row is sent once (seed $seed)`,
  { timeout: 60_000 },
  async (campaign) => {
    const random = createRandom(campaign.seed);
    const place = await rig.newPlace(faulty(random));
    rig.writePeople(place, campaign.rows);
    const start = starter(place, campaign);
    for (let rounds = killsOfEach; rounds > 0 && !(await isFinished(place)); rounds--) {
      const running = start(random() < 0.3);
      await moment(place, running, random, rounds === 1 ? campaign.rows : undefined);
      await rig.killed(running);
      if (running.stdout() !== '') expectSum(running);
    }
    await toTheEnd(place, start);
    expect(rig.repeated(place.service)).toEqual([]);
    await expectEach(place, campaign);
    // A crash may leave temporary files; the first batch a minute later removes them.
    const past = Date.now() / 1_000 - 61;
    for (const name of rig.leftBehind(place)) utimesSync(join(place.home, name), past, past);
    expect((await place.bin(rig.contacts('-', '--batch', 'last'), `phone\n${newcomer}\n`)).code).toBe(0);
    expect(rig.leftBehind(place)).toEqual([]);
  },
);

/** Starts the same command again, or resumes its batch. */
function starter(place: rig.Place, { words, rate, rows }: Campaign): (resumes: boolean) => Running {
  return (resumes) => {
    if (resumes) return place.start(rig.resume('--rate', rate));
    return place.start(words(rate), words(rate).includes('-') ? rig.peopleText(rows) : undefined);
  };
}

/** Responses of an unreliable service. */
function faulty(random: () => number): rig.Decide {
  return ({ phone, before }): Answering => {
    if (Number(phone.slice(-3)) % 40 === 0) return { reply: 400 };
    const luck = before > 0 || phone === newcomer ? 1 : random();
    if (luck < 0.006) return { reply: 429, headers: { 'retry-after': '0' } };
    if (luck < 0.014) return { reply: 500 };
    if (luck < 0.02) return { reply: 'reset' };
    return { reply: 200, after: luck < 0.05 ? 60 : Math.floor(random() * 6) };
  };
}

async function isFinished(place: rig.Place): Promise<boolean> {
  const [batch] = await rig.batches(place);
  return batch?.['waiting'] === 0;
}

/** Kills during start-up, between two rows, or near the end. */
async function moment(place: rig.Place, running: Running, random: () => number, rows?: number): Promise<void> {
  const { asked } = place.service;
  if (rows !== undefined) {
    await untilRequested(place, running, rows - Math.floor(random() * 12));
    return wait(random() * 120);
  }
  if (random() < 0.2) return wait(random() * 400);
  await rig.untilAsked(place, asked.length + 1 + Math.floor(random() * mostBetween), running);
  if (random() < 0.5) await wait(random() * 8);
}

/** Waits until this many rows were requested at least once. */
async function untilRequested({ service }: rig.Place, running: Running, count: number): Promise<void> {
  let isOver = false;
  void running.ended.then(() => (isOver = true));
  const requested = () => new Set(service.asked.map(({ phone }) => phone)).size;
  await expect.poll(() => isOver || requested() >= count, { interval: 2 }).toBe(true);
}

function expectSum(running: Running): rig.Fields {
  const summary = rig.summaryIn(running.stdout());
  expect(rig.countedIn(summary)).toBe(summary['rows']);
  return summary;
}

/** Repeats the command, because faults of the service may stop it. */
async function toTheEnd(place: rig.Place, start: (resumes: boolean) => Running): Promise<void> {
  for (let tries = 0; tries < 8; tries++) {
    const running = start(false);
    const code = await running.ended;
    if (running.stdout() === '') throw new Error(running.stderr());
    const { stopped, unsure, waiting } = expectSum(running);
    if (stopped !== null) continue;
    // Failed rows are reported once, unsure ones each time.
    expect(code).toBeOneOf(unsure === 0 ? [0, 10] : [10]);
    expect(waiting).toBe(0);
    return;
  }
  throw new Error(`it did not end; the service was asked ${place.service.asked.length} times`);
}

async function expectEach(place: rig.Place, { most, rows }: Campaign): Promise<void> {
  const { asked } = place.service;
  const report = await rig.rowsOf(place);
  expect(report.map(({ row }) => row)).toEqual(Array.from({ length: rows }, (_, at) => at + 1));
  expect(rig.misjudged(place.service, report)).toEqual([]);
  const count = (outcome: string) => report.filter((row) => row.outcome === outcome).length;
  const [unsure, failed] = [count('unsure'), count('failed')];
  const faults = asked.filter(({ reply }) => reply === 500 || reply === 'reset').length;
  expect(unsure).toBeLessThanOrEqual(killsOfEach * most + faults);
  const counts = { rows, sent: rows - unsure - failed, failed, unsure, waiting: 0 };
  expect(await rig.batches(place)).toEqual([expect.objectContaining(counts)]);
}
