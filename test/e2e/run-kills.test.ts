import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import type { Running } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import type { Answering } from '../support/service.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';

/** `bench/kills.mjs` runs more. */
const kills = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 10 : 6));
const killsOfOne = isLong ? 5 : 2;
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The number of requests before a kill. */
const mostBetween = 24;

const stdin = { file: 'stdin', words: (more: readonly string[]) => rig.batch('-', ...more) };
const kinds = [
  { what: 'send-batch', file: 'people', words: (more: readonly string[]) => rig.batch('people.csv', ...more) },
  { what: 'send-batch -', ...stdin },
  {
    what: 'contacts import',
    file: 'people',
    words: (more: readonly string[]) => ['contacts', 'import', 'people.csv', ...rig.sending, ...more],
  },
];
const campaigns = Array.from({ length: Math.ceil(kills / killsOfOne) }, (_, at) => {
  const concurrency = [8, 1, 64][at % 3] ?? 8;
  const kind = kinds[Math.floor(at / 3 + at) % kinds.length] ?? kinds[0];
  // Enough rows for all kills.
  return { seed: seed + at, concurrency, kind, rows: killsOfOne * (concurrency === 64 ? 96 : 32) };
});

/** The phone of the last run, which must not fail. */
const newcomer = '+12025550199';

it.each(campaigns)(
  `kill -9 of $kind.what with $concurrency in flight, ${killsOfOne} times: each row is sent once (seed $seed)`,
  { timeout: 60_000 },
  async (campaign) => {
    const random = createRandom(campaign.seed);
    const place = await rig.newPlace(faulty(random));
    rig.writePeople(place, campaign.rows);
    const words = campaign.kind?.words(['--concurrency', String(campaign.concurrency)]) ?? [];
    const start = () => place.start(words, words.includes('-') ? rig.peopleText(campaign.rows) : undefined);
    for (let left = killsOfOne; left > 0 && !(await isFinished(place)); left--) {
      const running = start();
      await moment(place, running, random, left === 1 ? campaign.rows : undefined);
      await rig.killed(running);
      if (running.stdout() !== '') expectSum(running);
    }
    if (!(await isFinished(place))) await toTheEnd(place, start);
    expect(rig.repeated(place.service)).toEqual([]);
    await expectEach(place, campaign);
    // A crash may leave temporary files; the first run a minute later removes them.
    const past = Date.now() / 1_000 - 61;
    for (const name of rig.leftBehind(place)) utimesSync(join(place.home, name), past, past);
    expect((await place.bin(['contacts', 'import', '-', ...rig.sending], `phone\n${newcomer}\n`)).code).toBe(0);
    expect(rig.leftBehind(place)).toEqual([]);
  },
);

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

/** Retries, because a kill may come too late. */
async function isFinished(place: Place): Promise<boolean> {
  const [run] = await rig.runs(place);
  return run?.['state'] === 'finished';
}

/** Kills during start-up, between two rows, or near the end. */
async function moment(place: Place, running: Running, random: () => number, rows?: number): Promise<void> {
  const { asked } = place.service;
  if (rows !== undefined) {
    await untilRequested(place, running, rows - Math.floor(random() * 12));
    return wait(random() * 120);
  }
  if (random() < 0.2) return wait(random() * 400);
  await rig.untilAsked(place, asked.length + 1 + Math.floor(random() * mostBetween), running);
  if (random() < 0.5) await wait(random() * 8);
}

/** Rows that were requested at least once. */
function requestedOf({ service }: Place): number {
  return new Set(service.asked.map(({ phone }) => phone)).size;
}

async function untilRequested(place: Place, running: Running, count: number): Promise<void> {
  let isOver = false;
  void running.ended.then(() => (isOver = true));
  await expect.poll(() => isOver || requestedOf(place) >= count, { interval: 2 }).toBe(true);
}

function expectSum(running: Running): void {
  const summary = rig.summaryIn(running.stdout());
  expect(rig.countedIn(summary)).toBe(summary['rows']);
}

/** Repeats the command, because faults of the service may stop it. */
async function toTheEnd(place: Place, start: () => Running): Promise<void> {
  for (let tries = 0; tries < 8; tries++) {
    const running = start();
    const code = await running.ended;
    if (running.stdout() === '') throw new Error(running.stderr());
    expectSum(running);
    const summary = rig.summaryIn(running.stdout());
    if (summary['stopped'] !== null) continue;
    expect(code).toBe(10);
    expect(summary['not_reached']).toBe(0);
    return;
  }
  throw new Error(`it did not end; the service was asked ${place.service.asked.length} times`);
}

async function expectEach(place: Place, { kind, concurrency, rows }: (typeof campaigns)[number]): Promise<void> {
  const { asked } = place.service;
  const list = await rig.runs(place);
  const shown = await rig.rowsShown(place, list[0]?.['id']);
  expect(shown.map(({ line }) => line)).toEqual(Array.from({ length: rows }, (_, at) => at + 2));
  const replies = new Map(asked.map(({ phone, reply }) => [phone, reply]));
  const wrong = shown.filter(({ line, outcome }) => {
    const reply = replies.get(rig.phoneOf(Number(line) - 1));
    if (outcome === 'sent') return reply !== 200;
    return outcome === 'failed' ? reply !== 400 : outcome !== 'unsure';
  });
  expect(wrong).toEqual([]);
  const unsure = shown.filter(({ outcome }) => outcome === 'unsure');
  const failed = shown.filter(({ outcome }) => outcome === 'failed');
  const faults = asked.filter(({ reply }) => reply === 500 || reply === 'reset').length;
  expect(unsure.length).toBeLessThanOrEqual(killsOfOne * concurrency + faults);
  const counts = { rows, sent: rows - unsure.length - failed.length, failed: failed.length, unsure: unsure.length };
  expect(list).toEqual([expect.objectContaining({ state: 'finished', left: 0, ...counts })]);
  const file = join(place.home, `${kind?.file}.unsure.csv`);
  expectListed(unsure.length > 0 && kind?.file === 'people' ? file : undefined, unsure);
}

/** Each unsure row with its line and the reason. */
function expectListed(file: string | undefined, unsure: readonly Readonly<Record<string, unknown>>[]): void {
  if (file === undefined) return;
  const lines = rig.linesOf(file).slice(1);
  const phones = unsure.map(({ line }) => rig.phoneOf(Number(line) - 1));
  expect(lines).toHaveLength(phones.length);
  expect(new Set(lines.map((line) => line.split(',')[0]))).toEqual(new Set(phones));
  for (const { line, reason } of unsure) {
    expect(reason).toEqual(expect.stringMatching(/\w/));
    expect(lines).toContainEqual(expect.stringContaining(`(line ${String(line)})`));
  }
  expect(lines.filter((line) => line.includes('see bizmsg runs show'))).toEqual([]);
}
