import { describe, expect, it } from 'vitest';
import * as rig from './import-rig.ts';

const rows = 300;

describe('a batch with a limit on open files', () => {
  // With 64 files, there are connections for some rows but not for all.
  it.each([32, 64])('of %i stops with exit 3, and can be continued', { timeout: 60_000 }, async (files) => {
    const world = await rig.newWorld();
    // Each answer opens one more connection.
    rig.slow(world, 300);
    rig.writePeople(world, rows);
    const send = 'bizmsg send-batch welcome people.csv --rate none';
    const stopped = await rig.shell(world, `ulimit -n ${files}; ${send} -o json`);
    expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining('ulimit -n') });
    const { messages } = world.sandbox.counts();
    // If it cannot even open its record, it sends nothing and has no results.
    const nothing = { sent: 0, unsure: 0, waiting: rows };
    const { sent, unsure, waiting } = stopped.stdout === '' ? nothing : JSON.parse(stopped.stdout);
    expect([sent <= messages && messages <= sent + unsure, sent + unsure + waiting]).toEqual([true, rows]);
    world.sandbox.faults.clear();
    const ended = await rig.shell(world, `${send} -o json`);
    expect(JSON.parse(ended.stdout)).toMatchObject({ sent: rows - unsure, unsure, waiting: 0 });
    expect([rig.twice(world), rig.unsentRows(world, rows).length <= unsure]).toEqual([[], true]);
  });
});
