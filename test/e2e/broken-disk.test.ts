import { describe, expect, it } from 'vitest';
import { binary } from '../support/bin.ts';
import { canInject, failing } from '../support/strace.ts';
import { batch, newPlace, writePeople } from './batches-rig.ts';
import * as rig from './import-rig.ts';

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
});
