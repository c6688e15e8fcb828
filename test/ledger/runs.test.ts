import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lineOf } from '../../src/base/journal-lines.ts';
import type { FileLedger } from '../../src/ledger/file/file-ledger.ts';
import { listRuns, openRunIndex, type RunEntry } from '../../src/ledger/file/runs.ts';
import { accepted, message, openLedger, planOf, temporaryFolder } from './rig.ts';

const entry: RunEntry = {
  run: 'r1',
  command: 'bizmsg send-batch welcome people.csv',
  file: 'people.csv',
  mode: 'live',
  kind: 'message',
  template: 'welcome',
  account: 'profile:acme',
  job: undefined,
  owner: { pid: 4_711, start: '1@boot.1.host' },
  startedAt: 1,
  counts: { planned: 40_000 },
  updatedAt: 1,
  endedAt: undefined,
  stopped: undefined,
};
const files = { failed: { file: '/data/people.failed.csv', sha256: 'a1', size: 12 }, unsure: undefined };

describe('the index of runs', () => {
  it('lists all runs with their last note, the oldest first', async () => {
    const folder = temporaryFolder();
    const [one, other] = [openLedger(folder), openLedger(folder)];
    expect(listRuns(folder)).toEqual([]);
    await one.putEntry(entry);
    await other.putEntry({ ...entry, run: 'r2', owner: undefined });
    await one.putEntry({ ...entry, counts: { done: 39_999, failed: 1 }, endedAt: 2, files });
    expect(listRuns(folder)).toEqual([
      { ...entry, counts: { done: 39_999, failed: 1 }, endedAt: 2, files },
      { ...entry, run: 'r2', owner: undefined },
    ]);
    await closeAll(one, other);
  });

  it('writes one line for several notes at the same time', async () => {
    const folder = temporaryFolder();
    const ledger = openLedger(folder);
    await Promise.all([1, 2, 3].map((updatedAt) => ledger.putEntry({ ...entry, updatedAt })));
    expect(listRuns(folder)).toEqual([{ ...entry, updatedAt: 3 }]);
    expect(linesIn(folder)).toHaveLength(2);
    await ledger.close();
  });

  it('does not list a forgotten run', async () => {
    const folder = temporaryFolder();
    const [ledger, other] = [openLedger(folder), openLedger(folder, { pid: 1 })];
    const { run } = accepted(await ledger.register(planOf('ada:1')));
    await ledger.putEntry({ ...entry, run });
    await ledger.putEntry(entry);
    await ledger.close();
    await other.forget({ run });
    expect(listRuns(folder)).toEqual([entry]);
    expect(await other.runs()).toEqual([]);
    await other.close();
  });

  it('drops a run that is not in the ledger', async () => {
    const folder = temporaryFolder();
    const ledger = openLedger(folder);
    await ledger.putEntry(entry);
    await ledger.forget({ run: 'r1' });
    expect(listRuns(folder)).toEqual([]);
    await expect(ledger.forget({ run: 'r1' })).rejects.toMatchObject({ code: 'run-gone' });
    await ledger.close();
  });

  it('is unchanged if a running run should be forgotten', async () => {
    const folder = temporaryFolder();
    const ledger = openLedger(folder);
    const { run } = accepted(await ledger.register(planOf('ada:1')));
    await ledger.putEntry({ ...entry, run });
    await ledger.claim([message('ada:1')], { run });
    await expect(ledger.forget({ run })).rejects.toMatchObject({ code: 'run-active' });
    expect(listRuns(folder)).toHaveLength(1);
    await ledger.close();
  });

  it('can be read while a line is being written', () => {
    const folder = withRuns('r1', 'r2');
    const path = pathIn(folder);
    const before = statSync(path).size;
    const line = lineOf({ put: { ...entry, run: 'r3' } });
    appendFileSync(path, line);
    for (let size = before; size < before + line.length; size += 7) {
      truncateSync(path, size);
      expect(listRuns(folder)).toHaveLength(2);
      appendFileSync(path, line.slice(size - before));
    }
    expect(listRuns(folder)).toHaveLength(3);
  });

  it('is refused with the offset of the damage', () => {
    const folder = withRuns('r1', 'r2');
    const text = readFileSync(pathIn(folder), 'utf8');
    writeFileSync(pathIn(folder), text.replace('"run":"r2"', '"run":"r9"'));
    const at = text.lastIndexOf('\n', text.indexOf('"run":"r2"')) + 1;
    const message: unknown = expect.stringContaining(`the line at byte ${at} `);
    expect(() => listRuns(folder)).toThrow(expect.objectContaining({ code: 'journal-damaged', message }));
  });

  it.each([
    ['without its command', { run: 'r3' }],
    ['with an unknown mode', { ...entry, mode: 'test' }],
    ['with an owner that is not a process', { ...entry, owner: { pid: 'one' } }],
    ['with a file that has no digest', { ...entry, files: { failed: { file: 'a' } } }],
  ])('refuses a run %s', (_, put) => {
    const folder = withRuns('r1');
    const { size } = statSync(pathIn(folder));
    appendFileSync(pathIn(folder), lineOf({ put }));
    const message: unknown = expect.stringContaining(`byte ${size}`);
    expect(() => listRuns(folder)).toThrow(expect.objectContaining({ code: 'journal-damaged', message }));
  });

  it('of a newer version is refused', () => {
    const folder = withRuns('r1');
    writeFileSync(pathIn(folder), lineOf({ format: 'bizmsg runs', version: 2 }));
    expect(() => listRuns(folder)).toThrow(expect.objectContaining({ code: 'journal-unknown' }));
  });

  it('is repaired by the next note after a crash has truncated a line', () => {
    const folder = withRuns('r1');
    const repaired: number[] = [];
    appendFileSync(pathIn(folder), '[123,{"put"');
    const index = openRunIndex({ folder, now: Date.now, onRepaired: (_, bytes) => void repaired.push(bytes) });
    index.put([{ ...entry, run: 'r2' }]);
    index.close();
    expect(repaired).toEqual([11]);
    expect(listRuns(folder).map(({ run }) => run)).toEqual(['r1', 'r2']);
  });

  it('is rewritten regularly without expired runs, while several processes add notes', async () => {
    const folder = temporaryFolder();
    const [now, day] = [Date.now(), 86_400_000];
    const [one, other] = [openLedger(folder, { now: () => now }), openLedger(folder, { now: () => now })];
    const ended = { endedAt: now - 31 * day, updatedAt: now - 31 * day };
    await one.putEntry({ ...entry, ...ended, run: 'old' });
    await one.putEntry({ ...entry, run: 'old killed', updatedAt: now - 31 * day });
    await one.putEntry({ ...entry, ...ended, run: 'old job', job: 'welcome' });
    await one.putEntry({ ...entry, ...ended, run: 'old unsure', counts: { unsure: 1 } });
    await other.putEntry({ ...entry, run: 'other', updatedAt: now });
    for (let step = 0; step < 200; step++) await one.putEntry({ ...entry, updatedAt: now + step });
    expect(linesIn(folder).length).toBeLessThan(80);
    await other.putEntry({ ...entry, run: 'other', updatedAt: now + 1 });
    expect(listRuns(folder).map(({ run, updatedAt }) => [run, updatedAt - now])).toEqual([
      ['old killed', -31 * day],
      ['old job', -31 * day],
      ['old unsure', -31 * day],
      ['other', 1],
      ['r1', 199],
    ]);
    await closeAll(one, other);
  });

  it('needs a few hundred bytes for a run of any size', () => {
    const folder = withRuns(...Array.from({ length: 200 }, (_, at) => `r${at}`));
    expect(statSync(pathIn(folder)).size).toBeLessThan(200 * 400);
  });
});

function withRuns(...names: readonly string[]): string {
  const folder = temporaryFolder();
  const index = openRunIndex({ folder, now: Date.now, onRepaired: () => {} });
  index.put(names.map((run) => ({ ...entry, run })));
  index.close();
  return folder;
}

function pathIn(folder: string): string {
  return join(folder, 'runs.ndjson');
}

function linesIn(folder: string): readonly string[] {
  return readFileSync(pathIn(folder), 'utf8').split('\n').filter(Boolean);
}

async function closeAll(...ledgers: readonly FileLedger[]): Promise<void> {
  for (const ledger of ledgers) await ledger.close();
}
