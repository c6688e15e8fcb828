import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namesIn } from '../../src/base/files.ts';
import { binary } from '../support/bin.ts';
import { canInject, failing } from '../support/strace.ts';
import * as rig from './import-rig.ts';

const input = 'phone\n+12025550101\nnot-a-phone\n';

describe.skipIf(!canInject)('a disk with input/output errors', () => {
  it.each(['pwrite64', 'fsync'])('ends a batch with exit 3 before it sends if the first %s fails', async (call) => {
    const world = await rig.newWorld();
    writeFileSync(join(world.home, 'rows.csv'), input);
    const line = `${failing(call)} '${process.execPath}' '${binary}' send-batch welcome rows.csv`;
    const ran = await rig.shell(world, line);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('input/output error') });
    expect(world.sandbox.counts().messages).toBe(0);
  });

  it('ends a command with exit 3 if a file cannot be replaced', async () => {
    const world = await rig.newWorld();
    const start = `'${process.execPath}' '${binary}' sandbox start --port 0`;
    const ran = await rig.shell(world, `${failing('rename')} ${start}`);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('input/output error') });
  });

  it('ends a batch from stdin with its summary if the copy of stdin stays; the next batch removes that', async () => {
    const world = await rig.newWorld();
    const copies = () => namesIn(join(world.home, '.local/state/bizmsg/runs'));
    const line = (prefix: string, row: number) =>
      `printf 'phone\\n+1202555010${row}\\n' | ${prefix} '${process.execPath}' '${binary}' send-batch welcome - -o json`;
    expect(await rig.shell(world, line('', 1))).toMatchObject({ code: 0 });
    const ran = await rig.shell(world, line(failing('unlink'), 2));
    expect([ran.code, JSON.parse(ran.stdout).sent, copies().length]).toEqual([0, 1, 1]);
    expect(await rig.shell(world, line('', 3))).toMatchObject({ code: 0 });
    expect(copies()).toEqual([]);
  });

  it('ends a batch with exit 3 and a summary if the ledger cannot be written any more', async () => {
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
