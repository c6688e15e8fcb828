import { describe, expect, it } from 'vitest';
import { canSwapFiles } from '../support/disk.ts';
import { errorIn, noteCodes, objects } from '../support/json-lines.ts';
import * as rig from './rig.ts';

const rows = 500;
const line = 'bizmsg send-batch welcome people.csv';

/** Runs a batch in a shell. The service refuses its rows with this status, if any. */
async function shell(script: string, status?: number, count = rows) {
  const world = await rig.newWorld();
  rig.writePeople(world, count);
  rig.addFault(world.sandbox, status === undefined ? { kind: 'latency', ms: 5 } : { kind: 'status', status });
  return { world, ...(await rig.shell(world, `set -o pipefail; ${script}`)) };
}

describe('a batch whose reader closes the pipe', () => {
  it('finishes, and prints on stderr that its output is not read', async () => {
    const { world, code, stdout, stderr } = await shell(`${line} -o ndjson | head -1`);
    expect([code, objects(stdout)]).toMatchObject([0, [{ type: 'row', outcome: 'sent' }]]);
    expect(noteCodes(stderr)).toEqual(['simulated', 'unread']);
    expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
  });

  it('keeps its exit code', async () => {
    const { code, stderr } = await shell(`${line} -o ndjson | true`, 404);
    expect([code, errorIn(stderr)]).toMatchObject([5, { code: 'too-many-errors' }]);
  });
});

describe.skipIf(!canSwapFiles)('a batch whose output disk is full', () => {
  it('stops after the requests in flight, and the same command goes on', async () => {
    const { world, code, stderr } = await shell(`${line} -o ndjson > /dev/full`);
    const sent = world.sandbox.counts().messages;
    expect([code, errorIn(stderr)]).toMatchObject([3, { code: 'output-unwritable' }]);
    expect([sent > 0, sent < rows]).toEqual([true, true]);
    const [batch] = JSON.parse((await world.run(['batches', 'list', '-o', 'json'])).stdout);
    expect(batch).toMatchObject({ sent, unsure: 0, waiting: rows - sent });
    expect((await rig.shell(world, line)).code).toBe(0);
    expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
  });

  it('reports it even if all rows are done, and names the command that shows them', async () => {
    const { code, stderr } = await shell(`${line} -o json > /dev/full`, undefined, 20);
    expect([code, errorIn(stderr)]).toMatchObject([
      3,
      { code: 'output-unwritable', hint: expect.stringContaining('bizmsg batches show people shows what was done') },
    ]);
  });
});
