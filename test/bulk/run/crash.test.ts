import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as read from '../../../src/contract/readers.ts';
import { listRuns } from '../../../src/bulk/run/runs.ts';
import { createRandom } from '../../../src/sandbox/random.ts';
import { temporaryHome } from '../../support/bin.ts';
import { concurrency, engineScript, runApart, startCounting } from './apart.ts';
import { alive, stateFolder } from './rig.ts';

const killsOfOne = 4;
const kills = Math.ceil(Number(process.env['BIZMSG_KILLS'] ?? 8) / killsOfOne) * killsOfOne;
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const patience = 30_000 + kills * 5_000;

const home = temporaryHome();
let script = '';
beforeAll(async () => {
  script = await engineScript(home.path);
});
afterAll(() => home.remove());

it(`kill -9 loses no row and repeats none, ${kills} times (seed ${seed})`, { timeout: patience }, async () => {
  const random = createRandom(seed);
  let unsure = 0;
  for (let kill = 0; kill < kills; kill += killsOfOne) unsure += await killedRun(random);
  expect(unsure).toBeLessThanOrEqual(kills * concurrency);
  process.stderr.write(`${kills} kills, seed ${seed}, ${unsure} unsure\n`);
});

/** One run that is killed again and again until it may finish; how many rows are unsure. */
async function killedRun(random: () => number): Promise<number> {
  const [folder, service, rows] = [stateFolder(), await startCounting(random), 1_500];
  for (let kill = 1; kill <= killsOfOne; kill++) {
    const engine = runApart(script, folder, service.port, rows);
    // From the middle of its start to the last row.
    const soon = random() < 0.2 ? wait(random() * 150) : service.until(Math.floor(random() * 350));
    await Promise.race([soon, engine.ended]);
    await wait(random() * 10);
    engine.kill();
    await engine.ended;
  }
  const summary = summaryIn(await runApart(script, folder, service.port, rows).ended);
  const lines = new Set(summary.unsureLines);
  const numbers = Array.from({ length: rows }, (_, at) => at + 1);
  expect([...service.arrived].filter(([, count]) => count > 1)).toEqual([]);
  expect(numbers.filter((number) => !service.arrived.has(`/${number}`) && !lines.has(number + 1))).toEqual([]);
  expect(summary).toMatchObject({ rows, failed: 0, done: rows - lines.size, unsure: lines.size, unsent: 0 });
  expect(lines.size).toBeLessThanOrEqual(killsOfOne * concurrency);
  const [run] = listRuns(folder, alive);
  expect(run).toMatchObject({ state: 'finished' });
  expect(existsSync(`${run?.folder}/lock`)).toBe(false);
  return lines.size;
}

const summaryOf = read.object({
  rows: read.notShown,
  unsureLines: read.list(read.notShown),
  done: read.notShown,
  failed: read.notShown,
  unsure: read.notShown,
  unsent: read.notShown,
});

function summaryIn(text: string) {
  const { unsureLines, ...rest } = summaryOf(JSON.parse(text));
  return { ...rest, unsureLines: unsureLines.map(Number) };
}
