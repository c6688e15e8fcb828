import { expect, it } from 'vitest';
import type { Database, Row, Transaction } from '../../src/base/transaction.ts';
import { inMemory } from './drivers.ts';
import { createMachine } from './machine.ts';
import { accepted, planOf } from './rig.ts';

/** A registration of as many rows may read the rows of a recipient a few times, not once for each row. */
const [count, most] = [400, 8 * 400];
const options = { perColumns: ['order'] };
const texts = Array.from({ length: count }, (_, at) => `ada:1:${at}`);

it('a run whose many rows for one recipient were partly withdrawn is compared without reading them for each row', async () => {
  let rows = 0;
  const { start } = createMachine(() => {
    const database = counting(inMemory()(), (found) => (rows += found.length));
    return () => database;
  });
  await start().register(planOf(texts.join(' '), options));
  const half = planOf(texts.slice(0, count / 2).join(' '), options);
  await start().register(half);
  const before = rows;
  expect(accepted(await start().register(half))).toMatchObject({ continues: true, counts: { due: count / 2 } });
  expect(rows - before).toBeLessThan(most);
});

/** Calls `seen` with the rows of each statement. */
function counting(database: Database, seen: (rows: readonly Row[]) => void): Database {
  const counted = <T>(body: Transaction<T>): Transaction<T> =>
    function* () {
      const steps = body();
      let step = steps.next();
      while (step.done !== true) {
        const rows = yield step.value;
        seen(rows);
        step = steps.next(rows);
      }
      return step.value;
    };
  return {
    read: (body) => database.read(counted(body)),
    write: (body) => database.write(counted(body)),
    close: () => database.close(),
  };
}
