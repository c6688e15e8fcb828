import { appendFileSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foresee } from '../../../src/bulk/run/foresee.ts';
import { runFolder, runId, runsFolder } from '../../../src/bulk/run/identity.ts';
import { listRuns } from '../../../src/bulk/run/runs.ts';
import { journalPath, readStory } from '../../../src/bulk/run/story.ts';
import * as rig from './rig.ts';

const input = rig.numbered(10);
const [oldKey, newKey, thirdKey] = [{ keyDigest: 'abcd' }, { keyDigest: 'ef01' }, { keyDigest: '2345' }];
const shown = { path: 'people.csv', flags: ['people.csv'], key: 'sk_test_…9999' };
const taking = { flags: { resume: true, newKey: true }, identity: newKey, shown };

/** A run of which row 2 has failed, row 3 is unsure, and the key was refused from row 6 on. */
async function stopped(identity: object = oldKey, folder = rig.stateFolder()): Promise<string> {
  const service = async (content: string) => {
    if (content === 'row 2') throw rig.rejected();
    if (content === 'row 3') throw rig.fault();
    if (content === 'row 6') throw rig.failure('keyRefused', 'no', 401);
  };
  await rig.part(folder, input, { concurrency: 1, send: service, opening: { identity } });
  return folder;
}

const whole = { rows: 10, done: 8, failed: 1, unsure: 1, unsent: 0, unsureLines: [4], skipped: 5 };

function folderOf(folder: string, identity: object): string {
  return runFolder(folder, runId(rig.options(folder, input, { identity }).identity));
}

function keysOf(folder: string): readonly string[] {
  return listRuns(folder, rig.alive).map((run) => ('facts' in run ? `${run.state} ${run.facts.keyDigest}` : run.state));
}

describe('--resume --new-key', () => {
  it.each([
    ['a file', {}],
    ['stdin', { file: undefined }],
  ])('goes on with a run of %s that another key began, and sends no row again', async (_, from) => {
    const folder = await stopped({ ...oldKey, ...from });
    const opening = { ...taking, identity: { ...newKey, ...from } };
    const { summary, sent, run } = await rig.part(folder, input, { opening });
    expect([sent, summary]).toMatchObject([input.slice(5), whole]);
    expect(run.notes).toEqual(['the run was begun with another key (sk_test_…1234), and goes on with this one']);
    expect([readdirSync(runsFolder(folder)), keysOf(folder)]).toEqual([[run.id], ['finished ef01']]);
    expect(readStory(run.folder)?.facts).toMatchObject({ key: 'sk_test_…9999', flags: ['--map', 'phone=a'] });
    await expect(rig.open(folder, input, opening)).rejects.toThrow('it is finished');
  });

  it('is needed once: the new key alone goes on, and the old one finds a run of another key', async () => {
    const folder = await stopped();
    const again = await rig.part(folder, input, { opening: taking, send: () => Promise.reject(rig.unreachable()) });
    expect(again.summary).toMatchObject({ unsent: 5, stopped: { exit: 'network' } });
    const before = rig.open(folder, input, rig.resume);
    await expect(before).rejects.toMatchObject({ code: 'run-elsewhere', hint: expect.stringContaining('--new-key') });
    const { sent, summary, run } = await rig.part(folder, input, { opening: { ...rig.resume, identity: newKey } });
    expect([sent, summary, run.notes]).toMatchObject([input.slice(5), whole, []]);
  });

  it('is the same as --resume for the key that began the run', async () => {
    const { sent, run } = await rig.part(await stopped(), input, { opening: { ...taking, identity: oldKey } });
    expect([sent, run.notes]).toEqual([input.slice(5), []]);
  });

  it('may be used again for a third key, and for the first one', async () => {
    const folder = await stopped();
    for (const identity of [newKey, thirdKey, oldKey, newKey]) {
      const send = () => Promise.reject(rig.failure('keyRefused', 'no', 401));
      await rig.part(folder, input, { opening: { ...taking, identity }, send });
      expect(keysOf(folder)).toEqual([`unfinished ${identity.keyDigest}`]);
    }
    const { sent, summary } = await rig.part(folder, input, { opening: { ...rig.resume, identity: newKey } });
    expect([sent, summary]).toMatchObject([input.slice(5), whole]);
  });

  it('has rows that were being sent in a crash be unsure, and not sent', async () => {
    const folder = rig.stateFolder();
    const crashed = await rig.open(folder, input);
    crashed.record(['rows', 1, [1, 1, 0, 2, 1, 0], [], [], []]);
    crashed.record(['rows', 2, [], [1], [], []]);
    await crashed.close();
    const { sent, summary } = await rig.part(folder, input, { opening: taking });
    expect([sent, summary]).toMatchObject([input.slice(2), { done: 9, unsure: 1, unsureLines: [3] }]);
  });

  it('finds the run again when its file is changed later', async () => {
    const folder = await stopped();
    await rig.part(folder, input, { opening: taking, send: () => Promise.reject(rig.unreachable()) });
    const more = [...input, 'row 11'];
    const { sent } = await rig.part(folder, more, { opening: { ...rig.resume, identity: newKey } });
    expect(sent).toEqual(more.slice(5));
  });

  it('is foreseen as it will be', async () => {
    const folder = await stopped();
    const options = rig.options(folder, input, taking);
    const foreseen = await foresee({ ...options, path: 'people.csv', ready: 10 });
    expect(foreseen).toMatchObject({ left: 5, run: { done: 3, failed: 1, unsure: 1 } });
    expect(keysOf(folder)).toEqual(['unfinished abcd']);
  });
});

describe('--resume --new-key is refused', () => {
  it.each([
    ['where nothing was run', { file: '/data/more.csv', content: 'c0de' }, 'run-unknown', /no unfinished import/],
    ['of another content', { content: 'c0de' }, 'run-elsewhere', /another key .* and another content/],
    ['in another mode', { mode: 'live' }, 'run-elsewhere', /another mode \(sandbox\) and another key/],
    ['at another address', { address: 'https://other' }, 'run-elsewhere', /another address \(http:..127/],
    ['with another mapping', { mapping: 'phone=b' }, 'run-elsewhere', /another key .* and another mapping/],
    ['of another template', { template: 'b' }, 'run-elsewhere', /another key .* and another template/],
    ['of another kind', { kind: 'batch' as const }, 'run-unknown', /no unfinished batch/],
  ])('%s, and changes nothing', async (_, identity, code, message) => {
    const folder = await stopped();
    const before = readdirSync(runsFolder(folder));
    const opened = rig.open(folder, input, { ...taking, identity: { ...newKey, ...identity } });
    await expect(opened).rejects.toMatchObject({ exit: 'unsafe', code, message: expect.stringMatching(message) });
    await expect(opened).rejects.toMatchObject({ hint: expect.not.stringContaining('--resume --new-key') });
    expect([readdirSync(runsFolder(folder)), keysOf(folder)]).toEqual([before, ['unfinished abcd']]);
  });

  it('of a run that is finished', async () => {
    const folder = rig.stateFolder();
    await rig.part(folder, input, {});
    await expect(rig.open(folder, input, taking)).rejects.toMatchObject({ code: 'run-unknown' });
  });

  it('without --resume', async () => {
    const opened = rig.open(await stopped(), input, { ...taking, flags: { newKey: true } });
    await expect(opened).rejects.toMatchObject({ exit: 'usage', message: '--new-key is given without --resume' });
  });

  it.each([
    ['several keys have begun', thirdKey],
    ['this key has begun as well', newKey],
  ])('where %s, by the names of the runs', async (_, identity) => {
    const folder = await stopped(identity, await stopped());
    const before = readdirSync(runsFolder(folder));
    const opened = rig.open(folder, input, taking);
    await expect(opened).rejects.toMatchObject({ exit: 'unsafe', code: 'run-ambiguous' });
    for (const id of before) await expect(opened).rejects.toThrow(id);
    expect(readdirSync(runsFolder(folder))).toEqual(before);
  });

  it('while a process is at the run', async () => {
    const folder = rig.stateFolder();
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const running = rig.part(folder, input, { send: () => ended });
    await expect.poll(() => keysOf(folder), { interval: 1 }).toEqual(['running abcd']);
    await expect(rig.open(folder, input, taking)).rejects.toMatchObject({ code: 'run-busy' });
    end();
    expect((await running).summary).toMatchObject({ done: 10 });
  });

  it('of a run whose journal is damaged', async () => {
    const folder = await stopped();
    appendFileSync(journalPath(folderOf(folder, oldKey)), '[1,["rows"]]\n');
    await expect(rig.open(folder, input, taking)).rejects.toMatchObject({ code: 'journal-damaged' });
  });
});

describe('a crash after the journal was moved for the new key, and before that was recorded,', () => {
  async function crashed(from: object = {}): Promise<string> {
    const folder = await stopped({ ...oldKey, ...from });
    const [before, after] = [folderOf(folder, { ...oldKey, ...from }), folderOf(folder, { ...newKey, ...from })];
    mkdirSync(after, { mode: 0o700 });
    renameSync(journalPath(before), journalPath(after));
    return folder;
  }

  it.each([
    ['the new key', { ...rig.resume, identity: newKey }, 'ef01'],
    ['the new key, as before', taking, 'ef01'],
    ['the old key', rig.resume, 'abcd'],
    ['a third key', { ...taking, identity: thirdKey }, '2345'],
  ])('lets %s go on', async (_, opening, key) => {
    const folder = await crashed();
    const { sent, summary } = await rig.part(folder, input, { opening });
    expect([sent, summary, keysOf(folder)]).toMatchObject([input.slice(5), whole, [`finished ${key}`]]);
  });

  it('lets the old key go on with stdin as well', async () => {
    const folder = await crashed({ file: undefined });
    const opening = { ...rig.resume, identity: { ...oldKey, file: undefined } };
    const { sent, summary } = await rig.part(folder, input, { opening });
    expect([sent, summary, keysOf(folder)]).toMatchObject([input.slice(5), whole, ['finished abcd']]);
  });
});
