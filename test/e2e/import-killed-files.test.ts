import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { isLong } from '../support/long-tests.ts';
import * as rig from './import-rig.ts';

/** In the short form, the process is killed at every third step. */
const step = isLong ? 1 : 3;

/** Kills the process before its nth change to a file of rejected rows. */
const preload = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
let left = Number(process.env.KILL_AT);
const meant = /people\\.(failed|unsure)/;
for (const name of ['renameSync', 'linkSync', 'rmSync', 'openSync', 'writeFileSync']) {
  const real = fs[name];
  fs[name] = (...words) => {
    const reads = name === 'openSync' && String(words[1] ?? 'r') === 'r';
    if (!reads && meant.test(words.slice(0, 2).join(' ')) && left-- === 0) {
      process.kill(process.pid, 'SIGKILL');
      for (;;);
    }
    return real(...words);
  };
}
syncBuiltinESMExports();
`;

const argv = (file: string) => ['contacts', 'import', file, '--concurrency', '1', '-o', 'json'];

/** True if it was killed. */
async function killed(world: World, words: readonly string[], at: number) {
  const script = join(world.home, 'kill.mjs');
  writeFileSync(script, preload);
  const env = { ...world.env, NODE_OPTIONS: `--import=${script}`, KILL_AT: String(at) };
  const running = rig.start({ home: world.home, env }, words);
  await running.ended;
  return !running.stdout().includes('"summary"');
}

function rowsIn({ home }: World): readonly string[] {
  const files = readdirSync(home).filter((name) => name.startsWith('people.failed'));
  expect(files.filter((name) => !/^people\.failed(\.\d)?\.csv$/.test(name))).toEqual([]);
  return files.flatMap((name) => readFileSync(join(home, name), 'utf8').match(/^\d+/gm) ?? []).sort();
}

it('kill -9 at any step of writing the failed rows leaves each of them in a file', { timeout: 120_000 }, async () => {
  let wasKilled = true;
  for (let at = 0; wasKilled; at += step) {
    const world = await rig.newWorld();
    const file = join(world.home, 'people.csv');
    writeFileSync(file, 'phone\n+12025550141\n12\n13\n');
    wasKilled = await killed(world, argv(file), at);
    if (wasKilled) await world.run(argv(file));
    // If the name of a file was not recorded yet, the next command leaves that file and writes a new one.
    expect([at, [...new Set(rowsIn(world))]]).toEqual([at, ['12', '13']]);
    expect(world.sandbox.contacts().filter(({ phone }) => phone === '+12025550141')).toHaveLength(1);
  }
});

it(
  'kill -9 at any step of continuing with a changed input leaves each failed row in a file',
  { timeout: 120_000 },
  async () => {
    let wasKilled = true;
    for (let at = 0; wasKilled; at += step) {
      const world = await rig.newWorld();
      const file = join(world.home, 'people.csv');
      writeFileSync(file, 'phone\n12\n13\n+12025550141\n');
      await world.run([...argv(file), '--first', '2']);
      writeFileSync(file, 'phone\n12\n13\n+12025550141\n14\n');
      wasKilled = await killed(world, argv(file), at);
      if (wasKilled) await world.run(argv(file));
      expect([at, [...new Set(rowsIn(world))]]).toEqual([at, ['12', '13', '14']]);
    }
  },
);
