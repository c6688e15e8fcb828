import { expect, it } from 'vitest';
import { createBook } from '../../src/ledger/book.ts';
import { createMemoryLedger } from '../../src/ledger/memory.ts';
import { planOf } from './rig.ts';

/** A registration of as many rows may follow the chain of a recipient's rows a few times, not once for each row. */
const [count, most] = [400, 8 * 400];
const texts = Array.from({ length: count }, (_, at) => `ada:${at}`);

it('a run whose many rows for one recipient were partly withdrawn is compared without reading them for each row', () => {
  const { open, steps } = countedBook();
  open().register(planOf(texts.join(' ')));
  const half = planOf(texts.slice(0, count / 2).join(' '));
  open().register(half);
  const before = steps();
  expect(open().register(half)).toMatchObject({ continues: true, counts: { due: count / 2 } });
  expect(steps() - before).toBeLessThan(most);
});

/** Ledgers with one book that counts the steps from one row of a recipient to the one before. */
function countedBook() {
  const book = createBook();
  const { entries } = book;
  let [steps, id] = [0, 0];
  const olderBySecond = (entry: number) => {
    steps += 1;
    return entries.olderBySecond(entry);
  };
  const counted = { ...book, entries: { ...entries, olderBySecond } };
  const world = { book: counted, start: undefined, now: Date.now, isAlive: () => false };
  return { steps: () => steps, open: () => createMemoryLedger({ ...world, pid: ++id, newId: () => `id${++id}` }) };
}
