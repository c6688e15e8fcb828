import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bin, binary, temporaryHome } from '../support/bin.ts';
import { errorIn } from '../support/json-lines.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
import { canInject, failing } from '../support/strace.ts';
import * as rig from './rig.ts';

describe.skipIf(!canMount())('a batch whose disk is full', () => {
  it('stops with exit 3 and a summary; with space again, the same command sends the rest', async () => {
    let fill = () => {};
    const place = await rig.newPlace(({ phone }) => {
      if (phone === rig.phoneOf(100)) fill();
      return { reply: 200 };
    });
    rig.writePeople(place, 400);
    mkdirSync(place.state, { recursive: true, mode: 0o700 });
    mount(place.state, 'mode=700,size=2m');
    // This process may still have a file of it open.
    onTestFinished(() => asRoot('umount', '--lazy', place.state));
    const filling = join(place.state, 'filling');
    fill = () => expect(() => writeFileSync(filling, Buffer.alloc(1 << 22), { mode: 0o600 })).toThrow('ENOSPC');
    const words = rig.batch('people.csv', '--rate', '600/m');
    const full = await place.bin(words);
    expect([full.code, errorIn(full.stderr)['message']]).toEqual([3, expect.stringContaining('the disk is full')]);
    const summary = rig.summaryIn(full.stdout);
    expect(summary).toMatchObject({ sent: place.service.asked.length - Number(summary['unsure']), failed: 0 });
    expect(rig.countedIn(summary)).toBe(400);
    expect(place.service.asked.length).toBeGreaterThanOrEqual(100);
    expect(place.service.asked.length).toBeLessThan(400);
    rmSync(filling);
    const ended = await place.bin(words);
    const { unsure, waiting } = rig.summaryIn(ended.stdout);
    // The outcomes of the last claims could not be recorded; the summary said so.
    expect(unsure).toBe(summary['unsure']);
    expect(unsure).toBeLessThanOrEqual(8);
    expect([ended.code, waiting]).toEqual([unsure === 0 ? 0 : 10, 0]);
    expect(rig.repeated(place.service)).toEqual([]);
    const report = await rig.rowsOf(place);
    expect(report).toHaveLength(400);
    expect(rig.misjudged(place.service, report)).toEqual([]);
  });
});

it.skipIf(!canMount())(
  'a sandbox and a listener whose disk is full name the file, and do not take it for the output',
  async () => {
    const home = temporaryHome();
    onTestFinished(home.remove);
    const state = join(home.path, 'state');
    mkdirSync(state);
    mount(state, 'mode=700,size=64k');
    onTestFinished(() => asRoot('umount', state));
    expect(() => writeFileSync(join(state, 'filling'), Buffer.alloc(65_537))).toThrow('ENOSPC');
    const run = (line: string) => bin(line.split(' '), { home: home.path, env: { BIZMSG_STATE_DIR: state } });
    const [sandbox, listener] = [await run('sandbox start --background'), await run('webhooks listen --port 0')];
    expect([sandbox, listener]).toEqual([
      { code: 3, stdout: '', stderr: `error: cannot use ${state}/sandboxes/start.lock: the disk is full\n` },
      { code: 3, stdout: '', stderr: expect.stringContaining(`cannot use ${state}/logs.db: the disk is full`) },
    ]);
  },
);

describe.skipIf(!canInject)('a disk with input/output errors', () => {
  it.each(['pwrite64', 'fsync'])(
    'ends a live batch with exit 3 before it sends if the first %s fails',
    async (call) => {
      const place = await rig.newPlace();
      rig.writePeople(place, 2);
      const words = rig.batch('people.csv').join(' ');
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

describe('a batch with a limit on open files', () => {
  const rows = 300;

  // With 64 files, there are connections for some rows but not for all.
  it.each([24, 48, 64])('of %i stops with exit 3, and can be continued', { timeout: 60_000 }, async (files) => {
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
