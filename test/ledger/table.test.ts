import { existsSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBook } from '../../src/ledger/book.ts';
import { readTable, writeTable } from '../../src/ledger/file/table.ts';
import { accepted, createMachine, message, messages, openLedger, planOf, rowOf, temporaryFolder } from './rig.ts';

const many = Array.from({ length: 40_000 }, (_, at) => `p${at}:1`).join(' ');
let plan = planOf('');
beforeAll(() => {
  plan = planOf(many);
});

describe('the table of a ledger', () => {
  it('is written after much was added, and then used together with what follows it', async () => {
    const { folder, run } = await written();
    expect(existsSync(join(folder, 'table'))).toBe(true);
    const second = openLedger(folder);
    await second.claim([rowOf(plan, 1)], { run });
    await second.settle([{ run, row: rowOf(plan, 1), outcome: 'failed' }]);
    await second.close();
    // The start of the segment can no longer be read, so all that is known comes from the table.
    const segment = segmentIn(folder);
    const bytes = readFileSync(segment);
    bytes.fill('x', 200, 300);
    writeFileSync(segment, bytes);
    const third = openLedger(folder);
    expect(await third.runs()).toMatchObject([{ id: run, counts: { done: 1, failed: 1, planned: 39_998 } }]);
    expect(await third.claim([rowOf(plan, 0)], { run })).toEqual([{ verdict: 'done' }]);
    await third.close();
    rmSync(join(folder, 'table'));
    await expect(openLedger(folder).runs()).rejects.toMatchObject({ code: 'journal-damaged' });
  });

  it.each([
    ['header', 40],
    ['middle', 400_000],
    ['end', -5],
  ])('with a wrong byte in its %s is ignored', async (_, at) => {
    const { folder, run } = await written();
    const path = join(folder, 'table');
    const bytes = readFileSync(path);
    const place = at < 0 ? bytes.length + at : at;
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    expect(readTable(path)).toBeUndefined();
    const ledger = openLedger(folder);
    expect(await ledger.runs()).toMatchObject([{ id: run, counts: { done: 1, planned: 39_999 } }]);
    await ledger.close();
  });

  it('shows that its segment was cut off', async () => {
    const { folder } = await written();
    const segment = segmentIn(folder);
    const text = readFileSync(segment, 'latin1');
    truncateSync(segment, text.lastIndexOf('\n', text.length - 2) + 1);
    await expect(openLedger(folder).runs()).rejects.toMatchObject({ exit: 'configuration', code: 'journal-damaged' });
  });

  it('of another ledger is ignored', async () => {
    const [one, other] = [await written(), await written()];
    writeFileSync(join(one.folder, 'table'), readFileSync(join(other.folder, 'table')));
    const ledger = openLedger(one.folder);
    expect(await ledger.runs()).toMatchObject([{ id: one.run }]);
    await ledger.close();
  });

  it('restores a book with all that it knows', () => {
    const machine = createMachine();
    const process = machine.start();
    const { run } = accepted(process.register(planOf('ada:1 bob:1 cyd:1 dan:1')));
    process.claim(messages('ada:1 bob:1 cyd:1'), { run });
    process.settle([
      { run, row: message('ada:1'), outcome: 'unsure' },
      { run, row: message('bob:1'), outcome: 'done' },
    ]);
    const path = join(temporaryFolder(), 'table');
    writeTable(path, { secret: 's', name: 'a', size: 1, tail: 2 }, machine.book.dump());
    const table = readTable(path);
    const restored = createBook();
    if (table) restored.restore(table.book);
    expect(table).toMatchObject({ name: 'a', size: 1, tail: 2 });
    expect(restored.dump()).toEqual(machine.book.dump());
    expect(restored.senders()).toEqual(machine.book.senders());
  });
});

/** A run with one row sent, closed in order. */
async function written() {
  const folder = temporaryFolder();
  const ledger = openLedger(folder);
  const { run } = accepted(await ledger.register(plan));
  await ledger.claim([rowOf(plan, 0)], { run });
  await ledger.settle([{ run, row: rowOf(plan, 0), outcome: 'done' }]);
  await ledger.close();
  return { folder, run };
}

function segmentIn(folder: string): string {
  return join(folder, readdirSync(folder).find((name) => /^\d.*\.ndjson$/.test(name)) ?? '');
}
