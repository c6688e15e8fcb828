import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const runs = async () => (await world.run(['runs', 'list', '-o', 'id'])).stdout.split('\n').filter(Boolean);
const forget = (...words: readonly string[]) => world.run(['runs', 'forget', ...words], { env: {} });

async function importing(name: string, text: string, ...words: readonly string[]) {
  const file = join(world.home, `${name}.csv`);
  writeFileSync(file, text);
  const { stdout } = await world.run(['contacts', 'import', file, '-o', 'json', ...words]);
  return JSON.parse(stdout);
}

/** Runs of files with one row each. */
async function run(...names: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await importing(name, `phone,name\n+12025550141,${name}\n`)).run);
  return ids;
}

it('forgets several runs by prefixes of their ids', async () => {
  const ids = await run('a', 'b');
  const { code, stdout } = await forget(...ids.map((id) => id.slice(0, 8)), '--yes');
  expect([code, stdout, await runs()]).toEqual([0, ids.map((id) => `Forgot run ${id}\n`).join(''), []]);
});

it('forgets nothing if a prefix is ambiguous', async () => {
  const ids = await run(...Array.from({ length: 17 }, (_, at) => `n${at}`));
  const digits = ids.map((id) => id.slice(0, 1));
  const twice = digits.find((digit, at) => digits.indexOf(digit) !== at) ?? '';
  const { code, stderr } = await forget(twice, '--yes');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/\d runs begin with "/)]);
  expect(await runs()).toHaveLength(17);
});

it('forgets all finished runs with --finished, and no others', async () => {
  await run('a', 'b');
  const stopped = await importing('c', 'phone\n+12025550142\n+12025550143\n', '--first', '1');
  expect((await forget('--finished', '--yes')).code).toBe(0);
  expect(await runs()).toEqual([stopped.run]);
  expect(await forget('--finished', '--yes')).toMatchObject({ code: 0, stdout: 'No runs\n' });
});

it('forgets an imported contact by the field phone, although another phone precedes it', async () => {
  const again = () => importing('a', 'Telefon,Mobil\n030 9000001,+491601234567\n', '--map', 'Mobil=phone');
  expect([(await again()).sent, (await again()).sent]).toEqual([1, 0]);
  await forget('--recipient', '+491601234567', '--yes');
  expect((await again()).sent).toBe(1);
});

it('keeps the files of failed rows, which belong to the user', async () => {
  const { run: id, files } = await importing('a', 'phone\n12\n');
  await forget(id, '--yes');
  expect(readdirSync(world.home)).toContain('a.failed.csv');
  expect(files.failed).toBe(join(world.home, 'a.failed.csv'));
});

it.each([[[]], [['0123456789', '--finished']], [['--finished', '--recipient', '+12025550101']]])(
  'needs ids, --finished or --recipient, and not %j',
  async (words) => {
    expect(await forget(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining('give ids of runs') });
  },
);
