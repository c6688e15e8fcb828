import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { openWorld } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const folder = () => join(world.home, '.local/state/bizmsg/runs');
const forget = (...words: readonly string[]) => world.run(['runs', 'forget', ...words], { env: {} });

/** Runs of files that hold one row each. */
async function run(...names: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const file = join(world.home, `${name}.csv`);
    writeFileSync(file, `phone,name\n+12025550141,${name}\n`);
    ids.push(JSON.parse((await world.run(['contacts', 'import', file, '-o', 'json'])).stdout).run);
  }
  return ids;
}

async function fromStdin(): Promise<{ readonly run: string; readonly failed_file: string }> {
  const argv = ['contacts', 'import', '-', '--format', 'csv', '-o', 'json'];
  return JSON.parse((await world.bin(argv, world.env, 'phone\n+12025550141\n12\n')).stdout);
}

it.each([[[]], [['--finished']]])(
  'the only copy of rows that failed is not forgotten unasked, with %j',
  async (words) => {
    const { run: id, failed_file: file } = await fromStdin();
    const refused = await forget(...(words.length > 0 ? words : [id]));
    expect([refused.code, refused.stderr]).toEqual([
      11,
      expect.stringContaining(`the only copy of the rows in ${file}`),
    ]);
    expect(existsSync(file)).toBe(true);
    const { code } = await forget(...(words.length > 0 ? words : [id]), '--yes');
    expect([code, readdirSync(folder())]).toEqual([0, []]);
  },
);

it('several are forgotten by the beginnings of their ids', async () => {
  const ids = await run('a', 'b');
  const { code, stdout } = await forget(...ids.map((id) => id.slice(0, 8)));
  expect([code, stdout, readdirSync(folder())]).toEqual([0, ids.map((id) => `Forgot the run ${id}\n`).join(''), []]);
});

it('none is forgotten where a beginning is that of several', async () => {
  const ids = await run(...Array.from({ length: 17 }, (_, at) => `n${at}`));
  const digits = ids.map((id) => id.slice(0, 1));
  const twice = digits.find((digit, at) => digits.indexOf(digit) !== at) ?? '';
  const { code, stderr } = await forget(twice);
  expect([code, stderr]).toEqual([2, expect.stringContaining('begins several runs: ')]);
  expect(readdirSync(folder())).toHaveLength(17);
});

it('all that are finished are forgotten with --finished, and no other', async () => {
  await run('a', 'b');
  const file = join(world.home, 'c.csv');
  writeFileSync(file, 'phone\n12\n13\n');
  const stopped = await world.run([
    'contacts',
    'import',
    file,
    '--max-errors',
    '1',
    '--concurrency',
    '1',
    '-o',
    'json',
  ]);
  expect((await forget('--finished')).code).toBe(0);
  expect(readdirSync(folder())).toEqual([JSON.parse(stopped.stdout).run]);
  expect(await forget('--finished')).toMatchObject({ code: 0, stdout: 'No runs\n' });
});

it.each([[[]], [['0123456789', '--finished']]])('ids or --finished are wanted, and not %j', async (words) => {
  expect(await forget(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining('give ids of runs') });
});
