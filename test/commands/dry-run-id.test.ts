import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it.each([[['send-template', '+12025550101', 'welcome']], [['contacts', 'create', '--set', 'phone=+12025550101']]])(
  '%j --dry-run -o id prints no id, with a note, and ends with 0',
  async (argv) => {
    const ran = await world.run([...argv, '--dry-run', '-o', 'id']);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toContain('note: nothing was sent, so there is no id; -o json shows the request\n');
    expect(world.sandbox.counts().messages).toBe(0);
  },
);

it('an import with -o id prints the id of its batch', async () => {
  const file = join(world.home, 'people.csv');
  writeFileSync(file, 'phone\n+12025550142\n');
  const { stdout } = await world.run(['contacts', 'import', file, '-o', 'id']);
  expect((await world.run(['batches', 'show', stdout.trim()])).stdout).toContain('Batch people');
});
