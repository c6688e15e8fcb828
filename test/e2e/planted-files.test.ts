import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePipe } from '../support/disk.ts';
import { posixOnly } from '../support/system.ts';
import * as rig from './import-rig.ts';

posixOnly('a symbolic link needs a privilege');

/** Things that another user may put in the place of the file of failed rows. */
const planted: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': makePipe,
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
  'a link to nothing': (path) => symlinkSync('/none', path),
  'a file of 1 TB': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 1024 ** 4);
  },
  'a folder': (path) => mkdirSync(path),
};

describe.each(Object.entries(planted))('%s with the name of the file of failed rows', (_, plant) => {
  it.each(['the first run', 'a run that wrote it before'])('is kept and not read by %s', async (which) => {
    const world = await rig.newWorld();
    const file = join(world.home, 'people.csv');
    const failed = join(world.home, 'people.failed.csv');
    const argv = ['contacts', 'import', file, '-o', 'json'];
    writeFileSync(file, 'phone\n12\n13\n+12025550141\n');
    if (which !== 'the first run') {
      await world.run([...argv, '--first', '2']);
      rmSync(failed);
    }
    plant(failed);
    const running = rig.start(world, argv);
    expect(await running.ended).toBe(10);
    expect(running.stderr()).toContain(`${failed} already exists and was kept`);
    expect(readFileSync(join(world.home, 'people.failed.2.csv'), 'utf8')).toMatch(/^12,.*\n13,/m);
  });
});

it('a link in the place of the file of failed rows is not followed when the file is replaced', async () => {
  const world = await rig.newWorld();
  const file = join(world.home, 'people.csv');
  const [failed, other] = [join(world.home, 'people.failed.csv'), join(world.home, 'other.csv')];
  const argv = ['contacts', 'import', file, '-o', 'json'];
  writeFileSync(file, 'phone\n12\n+12025550141\n14\n');
  await world.run([...argv, '--first', '2']);
  const written = readFileSync(failed, 'utf8');
  rmSync(failed);
  writeFileSync(other, written);
  symlinkSync(other, failed);
  await world.run(argv);
  expect([readFileSync(other, 'utf8'), lstatSync(failed).isSymbolicLink()]).toEqual([written, true]);
  expect(readdirSync(world.home)).toContain('people.failed.2.csv');
});
