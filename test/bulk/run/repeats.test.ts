import { appendFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foresee } from '../../../src/bulk/run/foresee.ts';
import { runFolder, runsFolder } from '../../../src/bulk/run/identity.ts';
import { journalPath } from '../../../src/bulk/run/story.ts';
import * as rig from './rig.ts';

const input = rig.numbered(10);
const batch = { kind: 'batch', template: 'welcome' } as const;
const otherKey = { keyDigest: 'ef01' };

/** A folder with a run of these rows, which may be stopped before one of them. */
async function ran(identity: object = {}, stop?: string, folder = rig.stateFolder()): Promise<string> {
  const send = async (content: string) => {
    if (content === stop) throw rig.failure('keyRefused', 'no', 401);
    if (content === 'row 2') throw rig.fault();
  };
  await rig.part(folder, input, { concurrency: 1, send, opening: { identity: { ...batch, ...identity } } });
  return folder;
}

const opened = (folder: string, rows: rig.Input, identity: object, flags: object = {}) =>
  rig.open(folder, rows, { identity: { ...batch, ...identity }, flags });

const refusal = (said: string, hint = '') => ({
  exit: 'unsafe',
  code: 'rows-repeated',
  message: expect.stringContaining(said),
  hint: expect.stringContaining(hint),
});

describe('a batch is refused whose rows an earlier one sent', () => {
  const all = '9 of these 10 messages were sent and 1 more may have been by run ';

  it.each([
    ['of the same file, mapped otherwise', { mapping: 'b' }, input, all],
    ['of the same content in another file', { mapping: 'b', file: '/data/copy.csv' }, input, all],
    ['of the same file with more rows', {}, [...input, 'row 11'], '9 of these 11 messages were sent and 1 more'],
    ['of the same file in another order', {}, [...input].reverse(), all],
    ['of the same file with fewer rows', {}, input.slice(0, 2), '1 of these 2 messages was sent and 1 more may'],
    ['of the same file with one of its unsure rows', {}, ['row 2'], 'this message may have been sent by run '],
    ['of the same file with each of its rows twice', {}, [...input, ...input], '9 of these 20 messages'],
    ['with another key', otherKey, input, 'with another key (sk_test_…1234), perhaps of another account'],
  ])('%s', async (_, identity, rows, said) => {
    const folder = await ran();
    const before = readdirSync(runsFolder(folder));
    for (const flags of [{}, { resume: true }, { restart: true }])
      await expect(opened(folder, rows, identity, flags)).rejects.toMatchObject(
        refusal(said, '--allow-repeat sends all of them once more'),
      );
    expect(readdirSync(runsFolder(folder))).toEqual(before);
    const identified = { ...batch, ...identity };
    const options = rig.options(folder, rows, { identity: identified });
    const foreseen = await foresee({ ...options, path: 'people.csv', ready: rows.length });
    expect(foreseen).toMatchObject({ left: 0, refused: { code: 'rows-repeated' } });
    const { sent } = await rig.part(folder, rows, { opening: { identity: identified, flags: { allowRepeat: true } } });
    expect(sent).toEqual(rows);
  });

  it('of stdin, with other rows among them', async () => {
    const folder = await ran({ file: undefined });
    const again = opened(folder, ['new', ...input.slice(2)], { file: undefined });
    await expect(again).rejects.toMatchObject(refusal('8 of these 9 messages were sent by run '));
  });

  it('by several runs, the most by the one that is named', async () => {
    const folder = await ran();
    const more = ['row 3', 'row 11', 'row 12', 'row 13'];
    const opening = { identity: batch, flags: { allowRepeat: true } };
    await rig.part(folder, more, { opening });
    const said = /^10 of these 11 messages were sent and 1 more may have been, most of them by run /;
    const again = opened(folder, [...input, 'row 12'], {});
    await expect(again).rejects.toMatchObject({ message: expect.stringMatching(said) });
  });
});

describe('of the earlier run', () => {
  it('that is unfinished the way on is told', async () => {
    const folder = await ran({}, 'row 6');
    const [id = ''] = readdirSync(runsFolder(folder));
    const hint = `--resume with what run ${id} was begun with goes on with it ("bizmsg runs show ${id}" tells)`;
    const again = opened(folder, input, { mapping: 'b' });
    await expect(again).rejects.toMatchObject(refusal('4 of these 10 messages were sent and 1 more', hint));
  });

  it('by another key it is --new-key', async () => {
    const again = opened(await ran({}, 'row 6'), input, otherKey);
    await expect(again).rejects.toMatchObject(refusal('with another key', '--resume --new-key goes on with it'));
  });

  it('--restart is a word for it', async () => {
    const opening = { identity: { ...batch, mapping: 'b' }, flags: { restart: true } };
    const { sent } = await rig.part(await ran({}, 'row 6'), input, { opening });
    expect(sent).toEqual(input);
  });

  it('the file of failed rows is named', async () => {
    const folder = rig.stateFolder();
    await rig.part(folder, [...input, '!bad'], { opening: { identity: batch } });
    const opening = { identity: batch, failedFile: () => '/data/people.failed.csv' };
    const again = '--allow-repeat sends all of them once more';
    const mended = rig.open(folder, [...input, 'mended'], opening);
    await expect(mended).rejects.toMatchObject({ hint: `/data/people.failed.csv holds those that were not; ${again}` });
    const more = rig.open(folder, [...input, 'mended', 'new'], opening);
    const apart = 'holds those that failed; send those that are new in a file of their own';
    await expect(more).rejects.toMatchObject({ hint: `/data/people.failed.csv ${apart}; ${again}` });
  });
});

describe('a batch begins beside one that sent', () => {
  it.each([
    ['other rows', {}, ['a', 'b']],
    ['another template', { template: 'other' }, input],
    ['rows of another file', { file: '/data/more.csv' }, [...input, 'row 11']],
    ['to another address', { address: 'https://other' }, input],
    ['in another mode', { mode: 'live' }, input],
    ['only what cannot be sent now', {}, input.map((text) => `!${text}`)],
  ])('%s', async (_, identity, rows) => {
    const opening = { identity: { ...batch, ...identity } };
    const { sent } = await rig.part(await ran(), rows, { opening });
    expect(sent).toEqual(rows.filter((text) => !text.startsWith('!')));
  });

  it('and whose journal is damaged', async () => {
    const folder = await ran();
    const [id = ''] = readdirSync(runsFolder(folder));
    appendFileSync(journalPath(runFolder(folder, id)), '[1,["rows"]]\n');
    const { sent } = await rig.part(folder, input, { opening: { identity: { ...batch, mapping: 'b' } } });
    expect(sent).toEqual(input);
  });

  it('by a key of another sandbox on this machine, which is said', async () => {
    const folder = await ran({ address: 'local' });
    const opening = { identity: { ...batch, ...otherKey, address: 'local' } };
    const { sent, run } = await rig.part(folder, input, { opening });
    expect([sent, run.notes]).toEqual([input, [expect.stringContaining('with another key')]]);
  });
});

it('a batch is refused while another one of its file is running', async () => {
  const folder = rig.stateFolder();
  const running = await rig.open(folder, input, { identity: batch });
  await expect(opened(folder, input, { mapping: 'b' })).rejects.toMatchObject({ code: 'run-busy' });
  await running.close();
});

it('a batch of stdin begins while another one is running', async () => {
  const folder = rig.stateFolder();
  const identity = { ...batch, file: undefined };
  const running = await rig.open(folder, input, { identity });
  const { sent } = await rig.part(folder, ['a', 'b'], { opening: { identity } });
  expect(sent).toEqual(['a', 'b']);
  await running.close();
});

describe('a batch that goes on', () => {
  const [one, other] = [{ mapping: 'a' }, { mapping: 'b' }];

  it('is refused where another one has sent its rows since', async () => {
    const folder = await ran(one, 'row 6');
    await rig.part(folder, input, { opening: { identity: { ...batch, ...other }, flags: { allowRepeat: true } } });
    const again = rig.open(folder, input, { ...rig.resume, identity: { ...batch, ...one }, now: () => 2_000 });
    await expect(again).rejects.toMatchObject(refusal('5 of these 5 messages were sent by run '));
  });

  it('with other rows is refused where any other one has sent them', async () => {
    const folder = await ran({ ...one, file: undefined }, 'row 6');
    const identity = { ...batch, ...one, file: undefined };
    const send = async () => Promise.reject(rig.unreachable());
    await rig.part(folder, ['new'], { opening: { identity, flags: { restart: true }, now: () => 5_000 }, send });
    const again = rig.open(folder, [...input, 'row 11'], { ...rig.resume, identity });
    await expect(again).rejects.toMatchObject(refusal('4 of these 11 messages were sent and 1 more'));
  });

  it('is not where that was before it began', async () => {
    const folder = await ran(one);
    const opening = { identity: { ...batch, ...other }, flags: { allowRepeat: true }, now: () => 5_000 };
    const send = async () => Promise.reject(rig.failure('keyRefused', 'no', 401));
    await rig.part(folder, input, { opening, send });
    const { sent } = await rig.part(folder, input, { opening: { ...opening, flags: { resume: true } } });
    expect(sent).toEqual(input);
  });
});

it('an import says how many rows were sent before, and begins', async () => {
  const folder = await ran({ kind: 'import', template: undefined });
  const { sent, run } = await rig.part(folder, [...input, 'row 11'], { opening: rig.resume });
  expect(sent).toHaveLength(11);
  expect(run.notes).toEqual([
    expect.stringMatching(/^10 of these rows were sent before by run [0-9a-f]{10} on 1970-01-01$/),
  ]);
});
