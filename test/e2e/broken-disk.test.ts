import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binary } from '../support/bin.ts';
import { canInject, failing } from '../support/strace.ts';
import { batch, newPlace, writePeople } from './batches-rig.ts';
import * as rig from './import-rig.ts';

const input = 'phone\n+12025550101\nnot-a-phone\n';

describe.skipIf(!canInject)('a disk with input/output errors', () => {
  it.each(['pwrite64', 'fsync'])(
    'ends a live batch with exit 3 before it sends if the first %s fails',
    async (call) => {
      const place = await newPlace();
      writePeople(place, 2);
      const words = batch('people.csv').join(' ');
      const ran = await rig.shell(place, `${failing(call)} '${process.execPath}' '${binary}' ${words}`);
      expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('input/output error') });
      expect(place.service.asked).toEqual([]);
    },
  );

  it('ends a command with exit 3 if a file cannot be replaced', async () => {
    const world = await rig.newWorld();
    const start = `'${process.execPath}' '${binary}' sandbox start --port 0`;
    const ran = await rig.shell(world, `${failing('rename')} ${start}`);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('input/output error') });
  });

  it('ends a batch with exit 3 and a summary if its record cannot be written any more', async () => {
    const ends: { readonly code: unknown; readonly reported: unknown }[] = [];
    // How often it writes before it sends depends on the time that it takes.
    for (let from = 60; from < 200 && !ends.some(({ code }) => code === 3); from += 4) {
      const world = await rig.newWorld();
      writeFileSync(join(world.home, 'rows.csv'), input);
      const line = `${failing('pwrite64', from)} '${process.execPath}' '${binary}' send-batch welcome rows.csv -o json`;
      const { code, stdout } = await rig.shell(world, line);
      if (world.sandbox.counts().messages === 0) continue;
      const { sent, unsure } = JSON.parse(stdout || '{}');
      // Unsure if the outcome could not be recorded any more.
      ends.push({ code, reported: sent + unsure });
    }
    expect(ends).toContainEqual({ code: 3, reported: 1 });
    expect(ends.filter(({ reported }) => reported !== 1)).toEqual([]);
  });
});
