import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import { killedAtChange, run, scriptIn } from './scripts.ts';
import { accepted, account, day, message, openLedger, planOf, stopOf, temporaryFolder } from './rig.ts';

const names = ['ada:1', 'bob:1'];
const atOnce = 4;
/** In the short form, every fifth point. */
const step = isLong ? 1 : 5;
const single = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } } as const;

/** Registers, claims row by row, settles every other row, and prints its progress before each step. */
const text = `
${killedAtChange}
const { open, planOf } = await import('./library.mjs');
const rows = process.argv[3].split(',').map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
const ledger = open(process.argv[2], process.argv[4] === 'local');
const { run } = await ledger.register(planOf(rows));
print('registered');
for (const [at, row] of rows.entries()) {
  await ledger.claim([row], { run });
  print('granted ' + at);
  if (at % 2 === 1) continue;
  await ledger.settle([{ run, row, outcome: 'done' }]);
  print('settled ' + at);
}
await ledger.close();
print('changes ' + changes);
`;

it.each(['local', 'remote'])(
  'loses no claim, wherever its process dies: %s target',
  { timeout: 180_000 },
  async (target) => {
    const home = temporaryFolder();
    const script = await scriptIn(home, text);
    const rows = names.map((name) => Buffer.from(message(name)).toString('hex')).join();
    const whole = await run(script, join(home, 'whole'), rows, target, '0');
    const changes = Number(whole.lines.at(-1)?.replace('changes ', ''));
    expect(changes).toBeGreaterThan(12);
    const points = Array.from({ length: Math.ceil(changes / step) }, (_, at) => at * step + 1);
    for (let at = 0; at < points.length; at += atOnce) await Promise.all(points.slice(at, at + atOnce).map(killedAt));

    async function killedAt(point: number): Promise<void> {
      const folder = join(home, `${point}`);
      mkdirSync(folder);
      const { lines, code, signal } = await run(script, folder, rows, target, String(point));
      // Some changes depend on the time, so the last points may never be reached.
      expect([0, 'SIGKILL']).toContain(code ?? signal);
      const ledger = openLedger(folder);
      const [begun] = await ledger.runs();
      const id = begun?.id ?? accepted(await ledger.register(planOf(names.join(' ')))).run;
      const verdicts = await ledger.claim(names.map(message), { run: id });
      names.forEach((name, at) => {
        const { verdict } = verdicts[at] ?? {};
        // Granted rows that are not settled are unsure. A row without a printed grant may be unsure, too.
        const [isGranted, isSettled] = [lines.includes(`granted ${at}`), lines.includes(`settled ${at}`)];
        const expected = isSettled ? ['done'] : isGranted ? ['unsure', 'done'] : ['yours', 'unsure'];
        expect({ point, name, verdict: expected.includes(verdict ?? '') ? true : verdict }).toEqual({
          point,
          name,
          verdict: true,
        });
      });
      await ledger.close();
    }
  },
);

/** An unsure row, a message 25 days ago, and a registration whose segment replaces expired ones. */
const aging = `
${killedAtChange}
const { open, planOf, account } = await import('./library.mjs');
const rows = process.argv[3].split(',').map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
const day = 86_400_000;
let now = Number(process.argv[4]);
const single = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } };
const folder = process.argv[2];
let ledger = open(folder, false, () => now);
const { run } = await ledger.register(planOf(rows.slice(0, 2)));
await ledger.claim(rows.slice(0, 2), { run });
await ledger.settle([{ run, row: rows[0], outcome: 'unsure' }, { run, row: rows[1], outcome: 'done' }]);
await ledger.close();
for (const [row, days] of [[rows[2], 20], [rows[4], 24], [rows[3], 1]]) {
  now += days * day;
  const before = changes;
  if (row === rows[3]) print('aged ' + before);
  ledger = open(folder, false, () => now);
  await ledger.claim([row], single);
  await ledger.settle([{ run: 'singles live profile:acme', row, outcome: 'done' }]);
  if (row === rows[3]) print('sent');
  await ledger.close();
}
print('changes ' + changes);
`;

it('loses nothing that still counts while old segments are removed', { timeout: 180_000 }, async () => {
  const home = temporaryFolder();
  const script = await scriptIn(home, aging);
  const [cyd, dan, eve, fay] = ['cyd:1', 'dan:1', 'eve:1', 'fay:1'];
  const rows = [cyd, dan, eve, fay, 'hal:1'].map((name) => Buffer.from(message(name)).toString('hex')).join();
  const begin = Date.UTC(2026, 2, 4, 12);
  const whole = await run(script, join(home, 'whole'), rows, String(begin), '0');
  const [from, to] = [numberIn(whole.lines, 'aged'), numberIn(whole.lines, 'changes')];
  expect(existsSync(join(home, 'whole', 'past.ndjson'))).toBe(true);
  expect(to - from).toBeGreaterThan(15);
  const points = Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => from + at * step + 1);
  for (let at = 0; at < points.length; at += atOnce) await Promise.all(points.slice(at, at + atOnce).map(killedAt));

  async function killedAt(point: number): Promise<void> {
    const folder = join(home, `${point}`);
    mkdirSync(folder);
    const { lines } = await run(script, folder, rows, String(begin), String(point));
    // The next day, too: segments left by the killed process are removed then.
    for (const round of [1, 2]) {
      const ledger = openLedger(folder, { now: () => begin + (44 + round) * day });
      const look = async (name: string) => (await ledger.look(message(name), single)).verdict;
      expect({ point, round, cyd: await look(cyd), dan: await look(dan) }).toEqual({
        point,
        round,
        cyd: 'unsure',
        dan: 'yours',
      });
      const stop = stopOf(await ledger.register({ ...planOf(`${eve} gil:1`), isRehearsal: true }));
      expect({ point, round, stop }).toMatchObject({ point, round, stop: { reason: 'sent-before', rows: 1 } });
      const isSent = round === 1 && lines.includes('sent');
      expect({ point, fay: isSent ? await look(fay) : 'elsewhere' }).toEqual({ point, fay: 'elsewhere' });
      if (round === 1) await ledger.claim([message('ben:1')], single);
      await ledger.close();
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('2026-03-04'))).toEqual([]);
  }
});

function numberIn(lines: readonly string[], word: string): number {
  return Number((lines.find((line) => line.startsWith(`${word} `)) ?? '').slice(word.length + 1));
}
