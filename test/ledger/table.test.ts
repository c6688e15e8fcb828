import { existsSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Book, type Change, createBook } from '../../src/ledger/book.ts';
import type { StoredRuns } from '../../src/ledger/run.ts';
import { checkLedger } from '../../src/ledger/file/check.ts';
import { openTable, writeTable } from '../../src/ledger/file/table.ts';
import { rowSize } from '../../src/ledger/identity.ts';
import type { SingleTerms } from '../../src/ledger/ledger.ts';
import { createMemoryLedger } from '../../src/ledger/memory.ts';
import { isLong } from '../support/long-tests.ts';
import { check, steps, type World } from './model.ts';
import { accepted, account, message, openLedger, planOf, rowOf, sendAll, temporaryFolder } from './rig.ts';

const many = Array.from({ length: 40_000 }, (_, at) => `p${at}:1`).join(' ');
const single: SingleTerms = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } };
let plan = planOf('');
beforeAll(() => {
  plan = planOf(many);
});

describe('the table of a ledger', () => {
  it('is written after many changes, and then used together with later changes', async () => {
    const { folder, run } = await written();
    expect(existsSync(join(folder, 'table'))).toBe(true);
    const second = openLedger(folder);
    await second.claim([rowOf(plan, 1)], { run });
    await second.settle([{ run, row: rowOf(plan, 1), outcome: 'failed' }]);
    await second.close();
    spoilStart(folder);
    const third = openLedger(folder);
    expect(await third.runs()).toMatchObject([{ id: run, counts: { done: 1, failed: 1, planned: 39_998 } }]);
    expect(await third.claim([rowOf(plan, 0), rowOf(plan, 1)], { run })).toMatchObject([
      { verdict: 'done' },
      { verdict: 'failed' },
    ]);
    await third.close();
    rmSync(join(folder, 'table'));
    await expect(openLedger(folder).runs()).rejects.toMatchObject({ code: 'journal-damaged' });
  });

  it('is written when a ledger of killed processes is opened', async () => {
    const { folder, run } = await written();
    rmSync(join(folder, 'table'));
    const second = openLedger(folder);
    expect(await second.runs()).toMatchObject([{ id: run }]);
    expect(existsSync(join(folder, 'table'))).toBe(true);
    await second.close();
  });

  it('is written again after some dozens of single messages, although it has many rows', async () => {
    const { folder } = await written();
    for (let at = 0; at < 60; at++) {
      const ledger = openLedger(folder);
      await ledger.claim([message(`single${at}:1`)], single);
      await ledger.close();
    }
    const table = openTable(join(folder, 'table'));
    table?.book.entries.close();
    expect(statSync(segmentIn(folder)).size - (table?.size ?? 0)).toBeLessThan(16_500);
  });

  it('detects that its segment was truncated', async () => {
    const { folder } = await written();
    const segment = segmentIn(folder);
    const text = readFileSync(segment, 'latin1');
    truncateSync(segment, text.lastIndexOf('\n', text.length - 2) + 1);
    expect(() => checkLedger(folder)).toThrow('it once had');
    await expect(openLedger(folder).runs()).rejects.toMatchObject({ exit: 'configuration', code: 'journal-damaged' });
  });

  it('detects that its segment is missing', async () => {
    const { folder } = await written();
    rmSync(segmentIn(folder));
    expect(() => checkLedger(folder)).toThrow('it is missing');
    await expect(openLedger(folder).runs()).rejects.toMatchObject({ exit: 'configuration', code: 'journal-damaged' });
  });

  it('of another ledger is ignored', async () => {
    const [one, other] = [await written(), await written()];
    writeFileSync(join(one.folder, 'table'), readFileSync(join(other.folder, 'table')));
    const ledger = openLedger(one.folder);
    expect(await ledger.runs()).toMatchObject([{ id: one.run }]);
    await ledger.close();
  });

  it('hides no sent row, whichever byte is changed', { timeout: 60_000 }, async () => {
    const few = planOf(many.slice(0, many.indexOf('p800:1') - 1));
    const { folder, run } = await written(few);
    const path = join(folder, 'table');
    const whole = readFileSync(path);
    const sent = rowOf(few, 0);
    for (let at = 0; at < whole.length; at += (at < 1_000 ? 7 : 83) * (isLong ? 1 : 10)) {
      const changed = Buffer.from(whole);
      changed[at] = (whole[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(path, changed);
      const ledger = openLedger(folder);
      expect({ at, look: await ledger.look(sent, single) }).toMatchObject({ at, look: { verdict: 'elsewhere', run } });
      expect({ at, look: await ledger.look(message('eve:1'), single) }).toEqual({ at, look: { verdict: 'yours' } });
      await ledger.close();
    }
  });

  it('is not trusted either when a registration reads all of it', async () => {
    const { folder, run } = await written();
    const path = join(folder, 'table');
    const bytes = readFileSync(path);
    const at = bytes.length - 100_000;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const ledger = openLedger(folder);
    expect(await ledger.look(rowOf(plan, 0), single)).toMatchObject({ verdict: 'elsewhere' });
    expect(await ledger.register(plan)).toMatchObject({ run, counts: { done: 1, due: 39_999 } });
    await ledger.close();
  });
});

describe('a book that was written to a table', () => {
  it('answers like the book in memory after any additions, and has the same content', { timeout: 60_000 }, async () => {
    const path = join(temporaryFolder(), 'table');
    await fc.assert(
      fc.asyncProperty(steps, fc.double({ min: 0, max: 1, noNaN: true }), async (list, share) => {
        const changes = await changesOf((open) => check(open, list));
        compareAt(path, changes, Math.floor(changes.length * share));
      }),
      { numRuns: 100 },
    );
    expect.hasAssertions();
  });

  it('reads only the run to which a single message belongs, until all are asked for', async () => {
    const path = join(temporaryFolder(), 'table');
    const changes = await changesOf(async ({ open }) => {
      const ledger = open(1);
      for (const name of ['ada', 'bob', 'cyd']) await sendAll(ledger, planOf(`${name}:1`));
      await ledger.claim([message('dan:1')], single);
      await sendAll(ledger, planOf('eve:1'));
    });
    const [book, restored] = [createBook(), createBook()];
    for (const change of changes) book.apply(change);
    writeTable(path, { secret: 's', name: 'a', size: 1, tail: 2 }, book.dump());
    const stored = openTable(path)?.book;
    const read: number[] = [];
    if (stored) restored.restore({ ...stored, runs: counted(stored.runs, read) });
    const ledger = createMemoryLedger({ book: restored, ...otherProcess });
    expect(ledger.claim([message('fay:1')], single)).toEqual([{ verdict: 'yours' }]);
    ledger.settle([{ run: 'singles live profile:acme', row: message('fay:1'), outcome: 'done' }]);
    expect(read).toEqual([3]);
    expect([...restored.runs.keys()]).toEqual([...book.runs.keys()]);
    expect(read).toEqual([3, 0, 1, 2, 4]);
    restored.clear();
  });
});

const otherProcess = {
  pid: 2,
  start: undefined,
  now: () => Date.UTC(2026, 2, 4, 13),
  isAlive: () => true,
  newId: () => 'x',
};

/** The same runs; notes which are read. */
function counted(runs: StoredRuns, read: number[]): StoredRuns {
  return {
    ...runs,
    read(number) {
      read.push(number);
      return runs.read(number);
    },
  };
}

/** Applies some changes, writes the table, and applies the other changes to the rows in the file. */
function compareAt(path: string, changes: readonly Change[], split: number): void {
  const [whole, first, second] = [createBook(), createBook(), createBook()];
  for (const change of changes) whole.apply(change);
  for (const change of changes.slice(0, split)) first.apply(change);
  writeTable(path, { secret: 's', name: 'a', size: 1, tail: 2 }, first.dump());
  const table = openTable(path);
  expect(table).toMatchObject({ secret: 's', name: 'a', size: 1, tail: 2 });
  if (table) second.restore(table.book);
  for (const change of changes.slice(split)) second.apply(change);
  expect(allIn(second)).toEqual(allIn(whole));
  second.load();
  expect(allIn(second)).toEqual(allIn(whole));
}

/** All answers of a book. */
function allIn({ entries, runs, senders, order, lastAt }: Book) {
  const row = new Uint8Array(rowSize);
  const rows = Array.from({ length: entries.count() }, (_, entry) => {
    entries.read(entry, row, 0);
    const chains = [
      entries.newest(row, 0),
      entries.older(entry),
      entries.newestBySecond(row, 0),
      entries.olderBySecond(entry),
    ];
    const facts = [entries.scopeOf(entry), entries.stateOf(entry), entries.timeOf(entry), entries.orderOf(entry)];
    return [Buffer.from(row).toString('hex'), ...chains, ...facts];
  });
  const counts = [...runs.values()].map(({ id, counts, rows }) => [id, counts, rows.blocks()]);
  return { rows, counts, order: order(), lastAt: lastAt(), senders: senders().map(({ id }) => id) };
}

/** Changes that commands make. */
async function changesOf(act: (world: World) => Promise<void>): Promise<readonly Change[]> {
  const [book, dead, changes]: [Book, Set<number>, Change[]] = [createBook(), new Set(), []];
  let [now, id] = [Date.UTC(2026, 2, 4, 12), 0];
  const world: World = {
    open: (pid) =>
      createMemoryLedger({
        book,
        pid,
        start: undefined,
        now: () => now,
        isAlive: (owner) => !dead.has(owner.pid),
        newId: () => `id${++id}`,
        record: (some) => void changes.push(...some),
      }),
    kill: (pid) => void dead.add(pid),
    setSilent: (pid, isSilent) => void (isSilent ? dead.add(pid) : dead.delete(pid)),
    wait: (milliseconds) => void (now += milliseconds),
    now: () => now,
  };
  await act(world);
  return changes;
}

/** A run with one row sent, closed normally. */
async function written(of = plan) {
  const folder = temporaryFolder();
  const ledger = openLedger(folder);
  const { run } = accepted(await ledger.register(of));
  await ledger.claim([rowOf(of, 0)], { run });
  await ledger.settle([{ run, row: rowOf(of, 0), outcome: 'done' }]);
  await ledger.close();
  return { folder, run };
}

/** Damages the start of the segment, so that everything known comes from the table. */
function spoilStart(folder: string): void {
  const segment = segmentIn(folder);
  const bytes = readFileSync(segment);
  bytes.fill('x', 200, 300);
  writeFileSync(segment, bytes);
}

function segmentIn(folder: string): string {
  return join(folder, readdirSync(folder).find((name) => /^\d.*\.ndjson$/.test(name)) ?? '');
}
