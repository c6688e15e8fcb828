import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bin, temporaryHome } from '../support/bin.ts';
import { asRoot, mount, canMount } from '../support/small-disk.ts';
import { errorIn } from '../support/json-lines.ts';
import * as rig from './batches-rig.ts';

const rows = 400;

describe.skipIf(!canMount())('a batch whose disk is full', () => {
  it('stops with exit 3 and a summary; with space again, the same command sends the rest', async () => {
    let fill = () => {};
    const place = await rig.newPlace(({ phone }) => {
      if (phone === rig.phoneOf(100)) fill();
      return { reply: 200 };
    });
    rig.writePeople(place, rows);
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
    expect(rig.countedIn(summary)).toBe(rows);
    expect(place.service.asked.length).toBeGreaterThanOrEqual(100);
    expect(place.service.asked.length).toBeLessThan(rows);
    rmSync(filling);
    const ended = await place.bin(words);
    const { unsure, waiting } = rig.summaryIn(ended.stdout);
    // The outcomes of the last claims could not be recorded; the summary said so.
    expect(unsure).toBe(summary['unsure']);
    expect(unsure).toBeLessThanOrEqual(8);
    expect([ended.code, waiting]).toEqual([unsure === 0 ? 0 : 10, 0]);
    expect(rig.repeated(place.service)).toEqual([]);
    const report = await rig.rowsOf(place);
    expect(report).toHaveLength(rows);
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
