import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { asRoot, mount, canMount } from '../support/small-disk.ts';
import { noteCodes } from '../support/json-lines.ts';
import * as rig from './import-rig.ts';

const count = 2_000;

it.skipIf(!canMount())("writes failed rows to the run's folder if the input's disk is full", async () => {
  const world = await rig.newWorld();
  const disk = join(world.home, 'disk');
  mkdirSync(disk);
  mount(disk, 'size=64k');
  onTestFinished(() => asRoot('umount', disk));
  const file = join(disk, 'people.csv');
  writeFileSync(file, `phone\n${Array.from({ length: count }, (_, at) => `${at}\n`).join('')}`);
  const argv = ['contacts', 'import', file, '-o', 'json'];
  const { code, stdout, stderr } = await world.bin(argv);
  const { failed, files, run } = rig.summaryIn(stdout);
  const { failed: written } = Object(files);
  expect([code, failed, readdirSync(disk)]).toEqual([10, count, ['people.csv']]);
  expect([dirname(String(written)), rig.linesOf(String(written)).length]).toEqual([
    join(world.home, '.local/state/bizmsg/runs', String(run)),
    count + 1,
  ]);
  expect([noteCodes(stderr).includes('files'), stderr.includes('the disk is full')]).toEqual([true, true]);
});
