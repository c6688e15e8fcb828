import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runsFolder } from '../../../src/bulk/run/identity.ts';
import * as rig from './rig.ts';

const input = rig.numbered(10);

/** A folder with an unfinished run of the first four rows. */
async function stopped(identity = {}): Promise<string> {
  const folder = rig.stateFolder();
  const service = async (content: string) => {
    if (content === 'row 5') throw rig.failure('keyRefused', 'no', 401);
  };
  await rig.part(folder, input, { concurrency: 1, send: service, opening: { identity } });
  return folder;
}

describe('--resume of a run that was begun', () => {
  it.each([
    ['with another key', { keyDigest: 'ef01' }, 'another key (sk_test_…1234)'],
    ['with another mapping', { mapping: 'phone=b' }, 'another mapping'],
    ['with another mapping of the same content in another file', { mapping: 'b', file: '/b.csv' }, 'another mapping'],
  ])('%s is refused, and sends nothing', async (_, identity, said) => {
    const folder = await stopped();
    const before = readdirSync(runsFolder(folder));
    await expect(rig.open(folder, input, { ...rig.resume, identity })).rejects.toMatchObject({
      exit: 'unsafe',
      code: 'run-elsewhere',
      message: expect.stringMatching(new RegExp(`4 of 10 rows are done; run ${before.join()}$`)),
      hint: expect.stringMatching(/--resume.*--restart.*bizmsg runs show/),
    });
    await expect(rig.open(folder, input, { ...rig.resume, identity })).rejects.toThrow(said);
    expect(readdirSync(runsFolder(folder))).toEqual(before);
    const { sent } = await rig.part(folder, input, { opening: rig.resume });
    expect(sent).toEqual(input.slice(4));
  });

  it('with another key is refused where the file has changed as well', async () => {
    const opening = { ...rig.resume, identity: { keyDigest: 'ef01' } };
    const opened = rig.open(await stopped(), [...input, 'row 11'], opening);
    await expect(opened).rejects.toMatchObject({ code: 'run-elsewhere' });
  });

  it('with another key is refused on stdin too', async () => {
    const folder = await stopped({ file: undefined });
    const opening = { ...rig.resume, identity: { file: undefined, keyDigest: 'ef01' } };
    await expect(rig.open(folder, input, opening)).rejects.toMatchObject({ code: 'run-elsewhere' });
  });
});

describe('--resume begins a run, and tells of an unfinished one that was begun', () => {
  it.each([
    ['at another address', { address: 'https://other' }, 'another address (http://127.0.0.1:1)'],
    ['in another mode, by another key', { mode: 'live', keyDigest: 'ef01' }, 'another mode (sandbox) and another key'],
    ['with another template', { template: 'b', mapping: 'b' }, 'another template (none)'],
    [
      'with another key and mapping',
      { keyDigest: 'ef01', mapping: 'b' },
      'another key (sk_test_…1234) and another map',
    ],
  ])('%s', async (_, identity, said) => {
    const { sent, run } = await rig.part(await stopped(), input, { opening: { ...rig.resume, identity } });
    expect([sent, run.notes[0]]).toEqual([input, expect.stringContaining(`, which was begun with ${said}`)]);
    expect(run.notes[0]).toMatch(/is not finished: 4 of 10 rows are done$/);
  });
});

describe('a run begins beside an unfinished one that was begun with another key', () => {
  const other = { keyDigest: 'ef01' };

  it.each([
    ['with --restart', { restart: true }, other, input],
    ['without --resume', {}, other, input],
    ['of another file, with --resume', { resume: true }, { ...other, file: '/data/more.csv' }, ['a', 'b']],
    ['of another kind, with --resume', { resume: true }, { ...other, kind: 'batch' as const }, input],
  ])('%s', async (_, flags, identity, rows) => {
    const { sent } = await rig.part(await stopped(), rows, { opening: { flags, identity } });
    expect(sent).toEqual(rows);
  });

  it('with --resume when that is finished', async () => {
    const folder = rig.stateFolder();
    await rig.part(folder, input, {});
    const { sent } = await rig.part(folder, input, { opening: { ...rig.resume, identity: other } });
    expect(sent).toEqual(input);
  });
});
