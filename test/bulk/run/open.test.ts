import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyPath, draftPath } from '../../../src/bulk/run/copies.ts';
import { keyDigest, runId, runsFolder } from '../../../src/bulk/run/identity.ts';
import { openRun } from '../../../src/bulk/run/open.ts';
import * as rig from './rig.ts';

const input = rig.numbered(10);

describe('a run is known by', () => {
  it.each([
    ['its content', { content: 'other' }],
    ['its mapping', { mapping: 'phone=b' }],
    ['its address', { address: 'https://other' }],
    ['its mode', { mode: 'live' }],
    ['its key', { keyDigest: keyDigest('sk_test_other') }],
    ['its kind', { kind: 'batch' }],
    ['its template', { template: 'hello' }],
  ] as const)('%s', (_, other) => {
    const { identity } = rig.options('', input);
    expect(runId({ ...identity })).toBe(runId(identity));
    expect(runId({ ...identity, ...other })).not.toBe(runId(identity));
  });

  it('a short id, whatever its path', () => {
    const { identity } = rig.options('', input);
    expect(runId(identity)).toMatch(/^[0-9a-f]{10}$/);
    expect(runId({ ...identity, file: '/elsewhere.csv' })).toBe(runId(identity));
  });
});

describe('a run of which nothing is known', () => {
  it.each([{}, { resume: true }, { restart: true }, { allowRepeat: true }])('begins with %j', async (flags) => {
    const { sent } = await rig.part(rig.stateFolder(), input, { opening: { flags } });
    expect(sent).toEqual(input);
  });

  it('is kept for this user alone, all of what it is in its journal, and no key', async () => {
    const folder = rig.stateFolder();
    const { run } = await rig.part(folder, input, {});
    expect(statSync(run.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(run.folder, 'journal.ndjson')).mode & 0o777).toBe(0o600);
    expect(readdirSync(run.folder)).toEqual(['journal.ndjson']);
    const [, facts] = readFileSync(join(run.folder, 'journal.ndjson'), 'utf8').split('\n');
    for (const fact of ['people.csv', 'phone=a', 'http://127.0.0.1:1', 'sandbox', 'abcd'])
      expect(facts).toContain(fact);
  });

  it('is not confused by one that a crash ended before anything was sent', async () => {
    const folder = rig.stateFolder();
    const { run } = await rig.part(folder, input, {});
    const path = join(run.folder, 'journal.ndjson');
    const [header = '', facts = ''] = readFileSync(path, 'utf8').split('\n');
    for (const rest of [`${header}\n`, `${header}\n${facts}\n`, `${header}\n${facts}`, header.slice(0, 9), '']) {
      writeFileSync(path, rest);
      const { sent } = await rig.part(folder, input, {});
      expect(sent).toEqual(input);
    }
  });
});

describe('a run that is not finished', () => {
  it('is refused with how far it came, and what to do', async () => {
    const folder = await stoppedAfter(4);
    await expect(rig.open(folder, input)).rejects.toMatchObject({
      exit: 'unsafe',
      code: 'run-unfinished',
      message: expect.stringContaining('4 of 10 rows are done'),
      hint: expect.stringMatching(/--resume.*--restart/),
    });
  });

  it('goes on with --resume', async () => {
    const { sent, summary, run } = await rig.part(await stoppedAfter(4), input, { opening: rig.resume });
    expect(run.action).toBe('resume');
    expect(sent).toEqual(input.slice(4));
    expect(summary).toMatchObject({ rows: 10, done: 10, skipped: 4, stopped: undefined });
  });

  it('begins anew with --restart, and says what is lost from view', async () => {
    const folder = await stoppedAfter(4, rig.fault);
    const { sent, summary, run } = await rig.part(folder, input, { opening: { flags: { restart: true } } });
    expect(sent).toEqual(input);
    expect(summary).toMatchObject({ done: 10, skipped: 0 });
    expect(run.notes.join('\n')).toMatch(/3 of 10 rows are done, 1 unsure[^]*line 2[^]*journal\.before\.ndjson/);
    expect(existsSync(join(run.folder, 'journal.before.ndjson'))).toBe(true);
  });

  it('does not send again what failed or is unsure', async () => {
    const folder = await stoppedAfter(4, rig.fault);
    const { sent, summary } = await rig.part(folder, input, { opening: rig.resume });
    expect(sent).toEqual(input.slice(4));
    expect(summary).toMatchObject({ done: 9, unsure: 1, unsureLines: [2], skipped: 4 });
    expect(summary.reasons).toEqual([{ reason: 'unsure it is', count: 1 }]);
  });

  it('sends again what is unsure where that is allowed, and it stays unsure until it was', async () => {
    const folder = await stoppedAfter(4, rig.fault);
    const opening = { flags: { resume: true, allowUnsure: true } };
    const down = async (): Promise<never> => {
      throw rig.failure('keyRefused', 'no', 401);
    };
    const second = await rig.part(folder, input, { opening, send: down });
    expect(second.summary).toMatchObject({ done: 3, unsure: 1, unsent: 6 });
    const third = await rig.part(folder, input, { opening: rig.resume, send: down });
    expect(third.sent).not.toContain('row 1');
    const last = await rig.part(folder, input, { opening });
    expect(last.sent).toEqual(['row 1', ...input.slice(4)]);
    expect(last.summary).toMatchObject({ done: 10, unsure: 0, unsureLines: [], reasons: [] });
  });
});

describe('a run that is finished', () => {
  it('is refused', async () => {
    const folder = rig.stateFolder();
    await rig.part(folder, input, {});
    const refusal = { exit: 'unsafe', code: 'run-repeated', hint: expect.stringContaining('--allow-repeat') };
    await expect(rig.open(folder, input)).rejects.toMatchObject(refusal);
    await expect(rig.open(folder, input, { flags: { restart: true } })).rejects.toMatchObject(refusal);
  });

  it('sends nothing with --resume, and gives its numbers', async () => {
    const folder = rig.stateFolder();
    const { summary } = await rig.part(folder, input, {});
    const told = await openRun(rig.options(folder, input, rig.resume));
    expect(told).toMatchObject({ action: 'tell', summary: { ...summary, seconds: expect.any(Number) } });
  });

  it('is run again with --allow-repeat', async () => {
    const folder = rig.stateFolder();
    await rig.part(folder, input, {});
    const { sent, run } = await rig.part(folder, input, { opening: { flags: { allowRepeat: true } } });
    expect(sent).toEqual(input);
    expect(run.notes[0]).toBe('the run before is set aside, which was finished: 10 of 10 rows are done');
  });

  it('is no hindrance to another mapping or content of the same file', async () => {
    const folder = rig.stateFolder();
    await rig.part(folder, input, {});
    const other = await rig.part(folder, [...input, 'row 11'], {});
    const mapped = await rig.part(folder, input, { opening: { identity: { mapping: 'phone=b' } } });
    expect([other.sent.length, mapped.sent.length]).toEqual([11, 10]);
  });
});

describe('a file that has changed since its run stopped', () => {
  it.each([
    ['behind what was sent', [...input.slice(0, 4), 'mended', ...input.slice(5)]],
    ['by rows added at its end', [...input, 'row 11', 'row 12']],
    ['by rows taken from its end', input.slice(0, 6)],
  ])('%s goes on', async (_, changed) => {
    const folder = await stoppedAfter(4);
    const refused = rig.open(folder, changed);
    await expect(refused).rejects.toMatchObject({
      code: 'run-unfinished',
      message: expect.stringContaining('changed'),
    });
    const { sent, summary } = await rig.part(folder, changed, { opening: rig.resume });
    expect(sent).toEqual(changed.slice(4));
    expect(summary).toMatchObject({ rows: changed.length, done: changed.length, skipped: 4 });
    // By now it is known by the new content.
    expect(readdirSync(runsFolder(folder))).toEqual([runId(rig.options(folder, changed).identity)]);
    await expect(rig.open(folder, changed)).rejects.toMatchObject({ code: 'run-repeated' });
  });

  it.each([
    ['line 4', ['row 1', 'row 2', 'other', ...input.slice(3)]],
    ['line 2', ['new', ...input]],
    ['line 3', ['row 1', '!cannot be sent', ...input.slice(2)]],
    ['row 4', input.slice(0, 3)],
    ['row 1', []],
  ])('is refused, and told its first change: %s', async (place, changed) => {
    const folder = await stoppedAfter(4);
    const before = readdirSync(runsFolder(folder));
    await expect(rig.open(folder, changed, rig.resume)).rejects.toMatchObject({
      exit: 'unsafe',
      code: 'run-changed',
      message: expect.stringContaining(`${place} `),
    });
    expect(readdirSync(runsFolder(folder))).toEqual(before);
    const { sent } = await rig.part(folder, input, { opening: rig.resume });
    expect(sent).toEqual(input.slice(4));
  });

  it('has rows sent that could not be before', async () => {
    const folder = rig.stateFolder();
    const bad = ['row 1', '!bad', 'row 3', 'stop', 'row 5'];
    const good = ['row 1', 'mended', 'row 3', 'stop', 'row 5'];
    await rig.part(folder, bad, { concurrency: 1, send: stoppingAt('stop') });
    const { sent, summary } = await rig.part(folder, good, { opening: rig.resume });
    expect(sent).toEqual(['mended', 'stop', 'row 5']);
    expect(summary).toMatchObject({ done: 5, failed: 0, reasons: [] });
  });

  it('begins anew with --restart, and the run before is gone', async () => {
    const folder = await stoppedAfter(4);
    const changed = ['new', ...input];
    const { sent, run } = await rig.part(folder, changed, { opening: { flags: { restart: true } } });
    expect(sent).toEqual(changed);
    expect(readdirSync(runsFolder(folder))).toEqual([run.id]);
  });

  it('is the same run still when it comes from stdin', async () => {
    const identity = { file: undefined };
    const shown = { path: '-', flags: ['-'], key: 'sk_test_…1234' };
    const folder = rig.stateFolder();
    await rig.part(folder, input, { concurrency: 1, send: stoppingAt('row 5'), opening: { identity, shown } });
    const more = [...input, 'row 11'];
    const message = expect.stringMatching(/^this import of stdin is not finished, and it had other rows: 4 of 10 rows/);
    await expect(rig.open(folder, more, { identity, shown })).rejects.toMatchObject({
      code: 'run-unfinished',
      message,
    });
    const other = rig.open(folder, ['new', ...input], { ...rig.resume, identity, shown });
    await expect(other).rejects.toMatchObject({ code: 'run-changed', hint: expect.stringMatching(/^pipe nothing in/) });
    const { sent } = await rig.part(folder, more, { opening: { ...rig.resume, identity, shown } });
    expect(sent).toEqual(more.slice(4));
  });

  it('is found even where a crash came while it was taken over', async () => {
    const folder = await stoppedAfter(4);
    const changed = [...input, 'row 11'];
    const [before = ''] = readdirSync(runsFolder(folder));
    const runs = runsFolder(folder);
    renameSync(join(runs, before), join(runs, runId(rig.options(folder, changed).identity)));
    const { sent } = await rig.part(folder, changed, { opening: rig.resume });
    expect(sent).toEqual(changed.slice(4));
  });
});

describe('one process at a time', () => {
  it('holds a run, also under its file', async () => {
    const folder = rig.stateFolder();
    const run = await rig.open(folder, input);
    const busy = { exit: 'configuration', code: 'run-busy', message: expect.stringContaining(String(process.pid)) };
    await expect(rig.open(folder, input, rig.resume)).rejects.toMatchObject(busy);
    await expect(rig.open(folder, [...input, 'more'], rig.resume)).rejects.toMatchObject(busy);
    await run.close();
    await (await rig.open(folder, input, rig.resume)).close();
  });

  it('takes over from one that is dead, at once', async () => {
    const folder = await stoppedAfter(4);
    const [id = ''] = readdirSync(runsFolder(folder));
    writeFileSync(join(runsFolder(folder), id, 'lock'), '999999 12345 abcd\n');
    const { sent } = await rig.part(folder, input, { opening: rig.resume });
    expect(sent).toEqual(input.slice(4));
  });
});

describe('the copy of stdin', () => {
  it('is kept until the run is finished', async () => {
    const folder = rig.stateFolder();
    const draft = draftPath(folder, process.pid);
    writeFileSync(draft, 'rows');
    const run = await rig.open(folder, input);
    const path = run.keepCopy(draft);
    expect([path, readFileSync(path, 'utf8')]).toEqual([copyPath(run.folder), 'rows']);
    await rig.send(run, input, { concurrency: 1, send: stoppingAt('row 5') });
    await run.close();
    expect(existsSync(path)).toBe(true);
    await rig.part(folder, input, { opening: rig.resume });
    expect(existsSync(path)).toBe(false);
  });

  it('that a dead process left is removed', async () => {
    const folder = rig.stateFolder();
    const [own, left] = [draftPath(folder, process.pid), draftPath(folder, 999_999)];
    for (const draft of [own, left]) writeFileSync(draft, 'rows');
    await rig.part(folder, input, {});
    expect([existsSync(own), existsSync(left)]).toEqual([true, false]);
  });
});

it('a damaged journal is told, never overwritten, and set aside with --restart', async () => {
  const folder = await stoppedAfter(4);
  const [id = ''] = readdirSync(runsFolder(folder));
  const path = join(runsFolder(folder), id, 'journal.ndjson');
  const damaged = readFileSync(path, 'utf8').replace('people.csv', 'people.tsv');
  writeFileSync(path, damaged);
  for (const opening of [{}, rig.resume]) {
    await expect(rig.open(folder, input, opening)).rejects.toMatchObject({ code: 'journal-damaged' });
  }
  expect(readFileSync(path, 'utf8')).toBe(damaged);
  const { run } = await rig.part(folder, input, { opening: { flags: { restart: true } } });
  expect(readFileSync(join(run.folder, 'journal.before.ndjson'), 'utf8')).toBe(damaged);
});

it('--resume and --restart exclude each other', async () => {
  const opening = { flags: { resume: true, restart: true } };
  await expect(rig.open(rig.stateFolder(), input, opening)).rejects.toMatchObject({ exit: 'usage' });
});

/** A folder with a run whose fifth row was not sent; its first came to what is given. */
async function stoppedAfter(count: number, first?: () => Error): Promise<string> {
  const folder = rig.stateFolder();
  const stopping = stoppingAt(`row ${count + 1}`);
  const send = async (content: string) => {
    if (first && content === 'row 1') throw first();
    return stopping(content);
  };
  await rig.part(folder, input, { concurrency: 1, send });
  return folder;
}

function stoppingAt(row: string) {
  return async (content: string) => {
    if (content === row) throw rig.failure('keyRefused', 'no', 401);
    return {};
  };
}
