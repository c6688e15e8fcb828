import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/long-tests.ts';
import { canInject, changesIn, killedAt, recordingChanges } from '../support/strace.ts';
import { openLedger } from './opened.ts';
import { accepted, account, day, hour, message, planOf, stopOf, temporaryFolder } from './rig.ts';
import { runUnder, scriptIn } from './scripts.ts';

const names = ['ada:1', 'bob:1'];
const atOnce = 4;
/** Every point with `BIZMSG_POINTS`, otherwise every third or seventh. */
const step = process.env['BIZMSG_POINTS'] ? 1 : isLong ? 3 : 7;
const single = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } } as const;
const hexOf = (rows: readonly string[]) => rows.map((name) => Buffer.from(message(name)).toString('hex')).join();

/** Registers, claims row by row, settles every other row, and prints its progress before each step. */
const text = `
import { writeSync } from 'node:fs';
import { open, planOf } from './library.mjs';
const print = (line) => writeSync(1, line + '\\n');
const rows = process.argv[3].split(',').map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
const ledger = await open(process.argv[2], { isLocal: process.argv[4] === 'local', isLive: true });
const { run, items } = await ledger.register(planOf(rows));
print('registered');
for (const [at, item] of items.entries()) {
  await ledger.claim([{ item, text: new Uint8Array(12) }], { run });
  print('granted ' + at);
  if (at % 2 === 1) continue;
  await ledger.settle([{ run, item, outcome: 'done' }]);
  print('settled ' + at);
}
await ledger.close();
`;

/** An unsure row, and messages of some days. */
const aging = `
import { open, planOf, singleOf } from './library.mjs';
const rows = process.argv[3].split(',').map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
const day = 86_400_000;
let now = Number(process.argv[4]);
const options = { isLive: true, now: () => now };
const first = await open(process.argv[2], options);
const { run, items } = await first.register(planOf(rows.slice(0, 2)));
await first.claim([...items].map((item, at) => ({ item, text: rows[at].subarray(24) })), { run });
const outcomes = ['unsure', 'done'];
await first.settle([...items].map((item, at) => ({ run, item, outcome: outcomes[at] })));
await first.endRun(run);
await first.close();
for (const [row, days] of [[rows[4], 2], [rows[2], 378], [rows[3], 24]]) {
  now += days * day;
  const ledger = await open(process.argv[2], options);
  const { item } = await ledger.claimSingle(row, singleOf());
  await ledger.close([{ run: 'singles live https://api.example.com welcome', item, outcome: 'done' }]);
}
`;

/** A message after which expired rows are removed. */
const removing = `
import { writeSync } from 'node:fs';
import { open, singleOf } from './library.mjs';
const row = Uint8Array.from(Buffer.from(process.argv[3], 'hex'));
const ledger = await open(process.argv[2], { isLive: true, now: () => Number(process.argv[4]) });
const { item } = await ledger.claimSingle(row, singleOf());
writeSync(1, 'claimed\\n');
await ledger.close([{ run: 'singles live https://api.example.com welcome', item, outcome: 'done' }]);
writeSync(1, 'end\\n');
`;

describe.skipIf(!canInject)('a process that is killed at a change of the ledger', () => {
  it.each(['local', 'remote'])('loses no claim: %s target', { timeout: 400_000 }, async (target) => {
    const script = await scriptIn(temporaryFolder(), text);
    await atEachChange(script, [hexOf(names), target], {}, async (folder, { lines, point }) => {
      const ledger = await openLedger(folder, { isLocal: target === 'local' });
      const [begun] = await ledger.runs();
      const id = begun?.id ?? accepted(await ledger.register(planOf(names.join(' ')))).run;
      const text = message('ada:1').subarray(24);
      const verdicts = await ledger.claim(
        [1, 2].map((item) => ({ item, text })),
        { run: id },
      );
      names.forEach((name, at) => {
        const { verdict } = verdicts[at] ?? {};
        // Granted rows that are not settled are unsure. A row without a printed grant may be unsure, too.
        const [isGranted, isSettled] = [lines.includes(`granted ${at}`), lines.includes(`settled ${at}`)];
        const expected = isSettled ? ['done'] : isGranted ? ['unsure', 'done'] : ['yours', 'unsure'];
        const seen = { point, name, verdict: expected.includes(verdict ?? '') ? true : verdict };
        expect(seen).toEqual({ point, name, verdict: true });
      });
      await ledger.close();
    });
  });

  it('loses nothing that still counts while expired rows are removed', { timeout: 180_000 }, async () => {
    const home = temporaryFolder();
    const [cyd, dan, eve, fay] = ['cyd:1', 'dan:1', 'eve:1', 'fay:1'];
    const begin = Date.UTC(2026, 2, 4, 12);
    const aged = join(home, 'aged');
    await runUnder([], await scriptIn(home, aging), aged, hexOf([cyd, dan, eve, 'hal:1', 'ivy:1']), String(begin));
    const script = await scriptIn(home, removing);
    const words = [hexOf([fay]), String(begin + 405 * day)];
    await atEachChange(script, words, { aged }, async (folder, { lines, point }) => {
      const ledger = await openLedger(folder, { host: { now: () => begin + 405 * day + hour / 12 } });
      const claim = async (name: string) => (await ledger.claimSingle(message(name), single)).verdict;
      expect([point, await claim(cyd), await claim(dan)]).toEqual([point, 'unsure', 'yours']);
      const others = lines.includes('end') ? ` ${fay}` : '';
      const stop = stopOf(await ledger.register({ ...planOf(`${eve} gil:1${others}`), isRehearsal: true }));
      expect([point, stop]).toMatchObject([point, { reason: 'sent-before', rows: others === '' ? 1 : 2 }]);
      const isLost = others === '' && lines.includes('claimed') && (await claim(fay)) === 'yours';
      expect([point, isLost]).toEqual([point, false]);
      await ledger.close();
    });
    // Here the removal has all the time that it needs.
    const host = { now: () => begin + 405 * day, steady: () => 0 };
    const ledger = await openLedger(aged, { host });
    await ledger.claimSingle(message(fay), single);
    await ledger.close();
    const left = (await (await openLedger(aged, { host })).runs()).map(({ counts }) => [counts.unsure, counts.done]);
    expect(left).toEqual([
      [1, 0],
      // The last message has no outcome.
      [1, 2],
    ]);
  });
});

type Killed = (folder: string, how: { readonly lines: readonly string[]; readonly point: string }) => Promise<void>;

interface From {
  /** Each folder begins as a copy of this one. */
  readonly aged?: string;
}

/** Runs a script in new folders, and kills it at another change each time. */
async function atEachChange(script: string, words: readonly string[], { aged }: From, act: Killed): Promise<void> {
  const home = temporaryFolder();
  const [whole, trace] = [join(home, 'whole'), join(home, 'trace')];
  if (aged !== undefined) cpSync(aged, whole, { recursive: true });
  await runUnder(recordingChanges(trace), script, whole, ...words);
  const changes = changesIn(trace);
  expect(changes.length).toBeGreaterThan(20);
  // A copied folder has most of its changes within one removal, where every third one is enough.
  const points = changes.filter((_, at) => at % (aged === undefined ? step : Math.max(step, 3)) === 0);
  for (let at = 0; at < points.length; at += atOnce)
    await Promise.all(
      points.slice(at, at + atOnce).map(async (change) => {
        const point = `${change.call} ${change.n}`;
        const folder = join(home, point);
        if (aged === undefined) mkdirSync(folder);
        else cpSync(aged, folder, { recursive: true });
        const { lines, code, signal } = await runUnder(killedAt(change), script, folder, ...words);
        // Some changes depend on the time, so the last points may never be reached.
        expect([0, 'SIGKILL']).toContain(code ?? signal);
        await act(folder, { lines, point });
      }),
    );
}
