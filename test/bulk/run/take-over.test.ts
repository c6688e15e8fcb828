import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bringKept } from '../../../src/bulk/run/bring.ts';
import { runAt } from '../../../src/bulk/run/find.ts';
import { runFolder, runId, runsFolder } from '../../../src/bulk/run/identity.ts';
import { verdictsOf } from '../../../src/bulk/run/runs.ts';
import { moveTo } from '../../../src/bulk/run/take-over.ts';
import * as rig from './rig.ts';

const input = ['row 1', '!bad', 'stop', 'row 4'];
const longer = [...input, 'row 5'];
const known = { 'files.json': 'what is known', 'failed.csv': 'rows', 'journal.before.ndjson': 'before' };

describe('a run that goes on in another folder', () => {
  it('takes what it keeps along', async () => {
    const { folder } = await stopped();
    const { run } = await rig.part(folder, longer, { opening: rig.resume });
    expect(readdirSync(runsFolder(folder))).toEqual([run.id]);
    expect(keptIn(run.folder)).toEqual(known);
  });

  it('is whole where it was while its journal is there', async () => {
    const { folder, before } = await stopped();
    const after = folderOf(folder, longer);
    // What a rename cannot replace.
    mkdirSync(join(after, 'journal.ndjson'), { recursive: true });
    const run = runAt(before, 'its id');
    expect(() => run && moveTo(run, after)).toThrow('rename');
    expect(keptIn(before)).toEqual(known);
    rmSync(join(after, 'journal.ndjson'), { recursive: true });
    const part = await rig.part(folder, longer, { opening: rig.resume });
    expect([keptIn(part.run.folder), readdirSync(runsFolder(folder))]).toEqual([known, [part.run.id]]);
  });

  it('leaves nothing behind where a crash came, whichever of its folders it goes on in', async () => {
    const { folder, before } = await stopped();
    const after = folderOf(folder, longer);
    mkdirSync(after);
    bringKept(before, after, 'all');
    const { run } = await rig.part(folder, input, { opening: rig.resume });
    expect([keptIn(run.folder), readdirSync(runsFolder(folder))]).toEqual([known, [run.id]]);
  });

  it('is never taken for spare where rows stand in it alone', async () => {
    const { folder, before } = await stopped();
    rmSync(join(before, 'journal.ndjson'));
    await rig.part(folder, ['other'], {});
    expect(existsSync(join(before, 'failed.csv'))).toBe(true);
  });
});

describe('rows that were refused', () => {
  it.each([
    ['the last ones are gone', ['row 1'], { rows: 1, failed: 0 }, []],
    ['another bad one has their place', ['row 1', '!worse', 'stop', 'row 4'], { rows: 4, failed: 1 }, ['worse']],
    ['they are the same', ['row 1', '!bad', 'stop', 'more'], { rows: 4, failed: 1, skipped: 2 }, ['bad']],
  ])('are counted as the input has them by now, where %s', async (_, changed, numbers, reasons) => {
    const { folder } = await stopped();
    const { summary, run } = await rig.part(folder, changed, { opening: rig.resume });
    expect(summary).toMatchObject({ ...numbers, unsent: 0 });
    expect([...verdictsOf(folder, run.id, rig.alive)].map(({ reason }) => reason)).toEqual(reasons);
  });
});

async function stopped() {
  const folder = rig.stateFolder();
  const send = async (content: string) => {
    if (content === 'stop') throw rig.failure('keyRefused', 'no', 401);
    return {};
  };
  const { run } = await rig.part(folder, input, { concurrency: 1, send });
  for (const [name, text] of Object.entries(known)) writeFileSync(join(run.folder, name), text);
  return { folder, before: run.folder };
}

function folderOf(folder: string, rows: readonly string[]): string {
  return runFolder(folder, runId(rig.options(folder, rows).identity));
}

function keptIn(folder: string): object {
  return Object.fromEntries(Object.keys(known).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
