import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { killedAtChange, run, scriptIn } from './apart.ts';
import { accepted, message, openLedger, planOf, temporaryFolder } from './rig.ts';

const names = ['ada:1', 'bob:1'];
const atOnce = 4;

/** Registers, claims row by row, settles every other row, and prints what it knows before each further step. */
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
  'loses nothing that was claimed, wherever its process dies: %s target',
  { timeout: 180_000 },
  async (target) => {
    const home = temporaryFolder();
    const script = await scriptIn(home, text);
    const rows = names.map((name) => Buffer.from(message(name)).toString('hex')).join();
    const whole = await run(script, join(home, 'whole'), rows, target, '0');
    const changes = Number(whole.lines.at(-1)?.replace('changes ', ''));
    expect(changes).toBeGreaterThan(12);
    const points = Array.from({ length: changes }, (_, at) => at + 1);
    for (let at = 0; at < points.length; at += atOnce) await Promise.all(points.slice(at, at + atOnce).map(killedAt));

    async function killedAt(point: number): Promise<void> {
      const folder = join(home, `${point}`);
      mkdirSync(folder);
      const { lines, code, signal } = await run(script, folder, rows, target, String(point));
      // A few changes depend on the time, so that the last points may never be reached.
      expect([0, 'SIGKILL']).toContain(code ?? signal);
      const ledger = openLedger(folder);
      const [begun] = await ledger.runs();
      const id = begun?.id ?? accepted(await ledger.register(planOf(names.join(' ')))).run;
      const verdicts = await ledger.claim(names.map(message), { run: id });
      names.forEach((name, at) => {
        const { verdict } = verdicts[at] ?? {};
        // What was granted and not settled is unsure; what was not granted may have been on its way to that.
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
