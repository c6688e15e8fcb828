import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFolder, runsFolder } from '../../../src/bulk/run/identity.ts';
import { forgetRun, listRuns, readRun, verdictsOf } from '../../../src/bulk/run/runs.ts';
import * as rig from './rig.ts';

const input = rig.numbered(10);
const owner = { pid: process.pid, kill: rig.alive };

describe('the list of runs', () => {
  it('is empty where nothing was run', () => {
    expect(listRuns(rig.stateFolder(), rig.alive)).toEqual([]);
  });

  it('has the newest first, with its state and how far it came', async () => {
    const folder = rig.stateFolder();
    await rig.part(folder, input, { opening: { now: () => 1 } });
    await rig.part(folder, ['a', 'b'], {
      send: refuse,
      concurrency: 1,
      opening: { identity: { file: '/b' }, now: () => 2 },
    });
    const running = await rig.open(folder, ['c'], { identity: { file: '/c' }, now: () => 3 });
    const runs = listRuns(folder, rig.alive);
    expect(runs).toMatchObject([
      { state: 'running', pid: process.pid, summary: { rows: 1, done: 0, unsent: 1 } },
      { state: 'unfinished', summary: { rows: 2, unsent: 2, stopped: { exit: 'keyRefused' } } },
      { state: 'finished', summary: { rows: 10, done: 10 }, facts: { kind: 'import', path: 'people.csv' } },
    ]);
    await running.close();
  });

  it('shows one that is damaged as such, and all others', async () => {
    const folder = rig.stateFolder();
    const { run } = await rig.part(folder, input, {});
    await rig.part(folder, ['other'], {});
    const path = join(run.folder, 'journal.ndjson');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"done', '"dome').replace('"rows",', '"rowz",'));
    expect(listRuns(folder, rig.alive)).toMatchObject([
      { state: 'finished', summary: { rows: 1 } },
      { state: 'damaged', id: run.id, problem: { exit: 'configuration', code: 'journal-damaged' } },
    ]);
    expect(() => readRun(folder, run.id, rig.alive)).toThrow('damaged');
  });
});

describe('one run', () => {
  it('is told with what became of its rows', async () => {
    const folder = rig.stateFolder();
    const { run, summary } = await rig.part(folder, ['bad', 'good', '!worse', 'odd'], { send: answer });
    expect(readRun(folder, run.id, rig.alive).summary).toEqual(summary);
    expect([...verdictsOf(folder, run.id, rig.alive)]).toMatchObject([
      { number: 1, line: 2, outcome: 'failed', exit: 'rejected', reason: 'rejected it is' },
      { number: 3, line: 4, outcome: 'failed', exit: 'usage', code: 'row-refused', reason: 'worse' },
      { number: 4, line: 5, outcome: 'unsure', exit: 'unsure' },
    ]);
  });

  it('that was cut short has the rows that were on their way as unsure', async () => {
    const folder = rig.stateFolder();
    const run = await rig.open(folder, input);
    run.record(['rows', 5, [1, 1, 77, 2, 1, 78], [], [], []]);
    run.record(['rows', 9, [3, 1, 79], [1], [], []]);
    await run.close();
    expect(readRun(folder, run.id, rig.alive)).toMatchObject({
      state: 'unfinished',
      summary: { done: 1, unsure: 2, unsent: 7, unsureLines: [3, 4], seconds: 0.009 },
    });
    const { summary, run: resumed } = await rig.part(folder, input, { opening: rig.resume });
    expect(summary).toMatchObject({ done: 8, unsure: 2, unsureLines: [3, 4] });
    expect(resumed.notes.join()).toContain('2 rows were being sent, so they are unsure');
  });

  it.each(['0123456789', '../../etc', ''])('that there is none of is said: %j', (id) => {
    const folder = rig.stateFolder();
    for (const act of [
      () => readRun(folder, id, rig.alive),
      () => forgetRun(folder, id, owner),
      () => [...verdictsOf(folder, id, rig.alive)],
    ])
      expect(act).toThrow(`there is no run "${id}"`);
  });

  it('is forgotten with all that is of it', async () => {
    const folder = rig.stateFolder();
    const { run } = await rig.part(folder, input, {});
    forgetRun(folder, run.id, owner);
    expect(readdirSync(runsFolder(folder))).toEqual([]);
    expect((await rig.part(folder, input, {})).sent).toEqual(input);
  });

  it('is not forgotten while a process is at it', async () => {
    const folder = rig.stateFolder();
    const run = await rig.open(folder, input);
    expect(() => forgetRun(folder, run.id, owner)).toThrow(String(process.pid));
    expect(existsSync(join(runFolder(folder, run.id), 'journal.ndjson'))).toBe(true);
    await run.close();
  });
});

async function refuse(): Promise<never> {
  throw rig.failure('keyRefused', 'no', 401);
}

async function answer(content: string): Promise<void> {
  if (content === 'bad') throw rig.rejected();
  if (content === 'odd') throw rig.fault();
}
