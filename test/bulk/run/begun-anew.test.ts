import { linkSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listRuns } from '../../../src/bulk/run/runs.ts';
import { journalPath } from '../../../src/bulk/run/story.ts';
import * as rig from './rig.ts';

const input = rig.numbered(10);
const identity = { kind: 'batch', template: 'welcome' } as const;
const otherMapping = { ...identity, mapping: 'b' };
const otherKey = { ...identity, keyDigest: 'ef01' };
const allowRepeat = { allowRepeat: true };
const before = 'journal.before.ndjson';

const refuseKey = async () => {
  throw rig.failure('keyRefused', 'no', 401);
};

const stoppingAt = (stop: string) => async (content: string) => (content === stop ? refuseKey() : {});

/** An attempt at the run, which comes to nothing unless that is said. */
function attempt(folder: string, flags: object, send: (content: string) => Promise<unknown> = refuseKey) {
  return rig.part(folder, input, { concurrency: 1, send, opening: { identity, flags } });
}

/** A folder with a run that was finished, or stopped before a row. */
async function ran(stop = ''): Promise<string> {
  const folder = rig.stateFolder();
  await attempt(folder, {}, stoppingAt(stop));
  return folder;
}

const refused = (said: string) => ({
  code: 'rows-repeated',
  message: expect.stringContaining(said),
  hint: expect.not.stringContaining('--resume'),
});

describe('what was sent before a run was begun anew counts, where the new attempt sent nothing', () => {
  it.each([
    ['a finished one, repeated', '', allowRepeat, '10 of these 10 messages were sent'],
    ['a stopped one, restarted', 'row 6', { restart: true }, '5 of these 10 messages were sent'],
  ])('%s', async (_, stop, flags, said) => {
    const folder = await ran(stop);
    await attempt(folder, flags);
    for (const other of [otherMapping, otherKey, { ...identity, file: '/data/copy.csv', mapping: 'b' }])
      await expect(rig.open(folder, input, { identity: other })).rejects.toMatchObject(refused(said));
  });

  it('and where several attempts followed', async () => {
    const folder = await ran();
    await attempt(folder, allowRepeat, stoppingAt('row 3'));
    await attempt(folder, { restart: true });
    await attempt(folder, { restart: true });
    const again = rig.open(folder, input, { identity: otherMapping });
    await expect(again).rejects.toMatchObject(refused('10 of these 10 messages were sent by run '));
  });

  it('and where the file has other rows by then, sent under another name', async () => {
    const folder = await ran('row 6');
    const opening = { identity, flags: { restart: true } };
    await rig.part(folder, [...input, 'row 11'], { opening, send: refuseKey });
    const copy = { ...otherMapping, file: '/data/copy.csv' };
    await expect(rig.open(folder, input, { identity: copy })).rejects.toMatchObject(refused('5 of these 10 messages'));
  });

  it('and says so', async () => {
    const folder = await ran();
    await attempt(folder, allowRepeat);
    const again = rig.open(folder, input, { identity: otherMapping });
    await expect(again).rejects.toMatchObject({ message: expect.stringMatching(/, before it was begun anew$/) });
  });
});

it('the attempt itself goes on', async () => {
  const folder = await ran();
  await attempt(folder, allowRepeat, stoppingAt('row 6'));
  const { sent } = await attempt(folder, { resume: true }, async () => ({}));
  expect(sent).toEqual(input.slice(5));
});

it('of the journals set aside only those are kept that tell more than a later one', async () => {
  const folder = await ran();
  for (let repeat = 0; repeat < 3; repeat++) await attempt(folder, allowRepeat, async () => ({}));
  const { run } = await attempt(folder, allowRepeat);
  await run.close();
  const journals = readdirSync(run.folder).filter((name) => name.startsWith('journal.before'));
  expect(journals).toEqual([before]);
});

describe('a crash while a run is begun anew', () => {
  it.each([
    ['finished', '', 'run-repeated'],
    ['unfinished', 'row 6', 'run-unfinished'],
  ])('leaves the run that it was, where its journal alone was renamed: %s', async (state, stop, code) => {
    const folder = await ran(stop);
    const [run] = listRuns(folder, rig.alive);
    renameSync(journalPath(run?.folder ?? ''), join(run?.folder ?? '', before));
    expect(listRuns(folder, rig.alive)).toMatchObject([{ id: run?.id, state }]);
    await expect(rig.open(folder, input, { identity })).rejects.toMatchObject({ code });
    await expect(rig.open(folder, input, { identity: otherMapping })).rejects.toMatchObject({ code: 'rows-repeated' });
  });

  it('leaves the run that it was, where its journal has both names', async () => {
    const folder = await ran();
    const [run] = listRuns(folder, rig.alive);
    linkSync(journalPath(run?.folder ?? ''), join(run?.folder ?? '', before));
    await expect(rig.open(folder, input, { identity })).rejects.toMatchObject({ code: 'run-repeated' });
    await attempt(folder, allowRepeat);
    const again = rig.open(folder, input, { identity: otherMapping });
    await expect(again).rejects.toMatchObject(refused('10 of these 10 messages were sent by run '));
  });

  it('leaves no journal without a part', async () => {
    const folder = await ran();
    const run = await rig.open(folder, input, { identity, flags: allowRepeat });
    expect(listRuns(folder, rig.alive)).toMatchObject([{ id: run.id, summary: { done: 0, rows: 10 } }]);
    await run.close();
  });
});

describe('batches of one file that begin at once', () => {
  const later = (milliseconds: number, run: () => void) => {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  };

  it.each([
    ['mapped otherwise', otherMapping],
    ['with another key', otherKey],
    ['from stdin', { ...identity, file: undefined }],
  ])('are refused but for one, %s', async (_, other) => {
    const folder = rig.stateFolder();
    const opened = [identity, other].map((one) => rig.open(folder, input, { identity: one, later }));
    const ends = await Promise.allSettled(opened);
    const [run, ...more] = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const [reason] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect([more, reason]).toMatchObject([[], { code: 'run-busy' }]);
    await run?.close();
    expect(readdirSync(join(folder, 'runs'))).toEqual([run?.id]);
  });
});
