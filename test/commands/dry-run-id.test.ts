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

it.each([[[]], [['--dry-run']]])('an import with -o id %j is refused before it sends', async (more) => {
  const file = join(world.home, 'people.csv');
  writeFileSync(file, 'phone\n+12025550142\n');
  const before = world.sandbox.requests().length;
  const { code, stdout, stderr } = await world.run(['contacts', 'import', file, '-o', 'id', ...more]);
  expect([code, stdout, world.sandbox.requests().length - before]).toEqual([2, '', 0]);
  expect(stderr).toContain('-o ndjson prints each row with its id');
});
