import { describe, expect, it } from 'vitest';
import { createMachine } from './machine.ts';
import { accepted, message, messages, planOf } from './rig.ts';

const unknown = message('eve:1');

describe('the rows of an input', () => {
  it('can be read one by one, during and after additions', () => {
    const { input } = planOf(Array.from({ length: 3_000 }, (_, at) => `p${at}:1`).join(' '));
    expect(input.read(0)).toEqual(message('p0:1'));
    expect(input.read(2_999)).toEqual(message('p2999:1'));
    expect(input.bytes).toHaveLength(108_000);
    expect(input.bytes.subarray(36, 72)).toEqual(input.read(1));
  });

  it('are found by person and occasion: of several rows, the first', () => {
    const { input } = planOf('ada:1 bob:1 ada:1 bob:2 bob:2:may');
    const found = [...messages('ada:1 bob:2 bob:3:may'), unknown].map((row) => input.rowOf(row, 0));
    expect(found).toEqual([0, 1, 4, undefined]);
    expect(input.rowOf(input.bytes, 72)).toBe(0);
  });

  it('are duplicates with the same text, and in conflict with another text', () => {
    const { input } = planOf('ada:1 ada:1 ada:2 ada:2:may ada:1:may');
    const rows = [0, 1, 2, 3, 4];
    expect(rows.filter((row) => !input.isFirst(row))).toEqual([1, 2, 4]);
    expect(rows.filter((row) => input.isConflict(row))).toEqual([2, 4]);
  });
});

describe('a long input', () => {
  const people = Array.from({ length: 3_000 }, (_, at) => `p${at}:1`);

  it('is registered without its duplicates, and continued in another order', async () => {
    const machine = createMachine();
    const ledger = machine.start();
    const twice = people.flatMap((one, at) => (at % 7 === 0 ? [one, one] : [one]));
    const { run, counts } = accepted(await ledger.register(planOf(twice.join(' '))));
    expect(counts).toMatchObject({ due: 3_000, duplicate: 429 });
    const rows = messages(people.join(' '));
    expect(new Set((await ledger.claim(rows, { run })).map(({ verdict }) => verdict))).toEqual(new Set(['yours']));
    await ledger.settle(rows.map((row, at) => ({ run, row, outcome: at < 1_000 ? 'done' : 'release' })));
    await ledger.register(planOf(people.slice(0, 2_500).join(' ')));
    const again = accepted(await ledger.register(planOf(people.toReversed().join(' '))));
    expect(again).toMatchObject({ run, continues: true, counts: { due: 2_000, done: 1_000 } });
    expect(await ledger.runs()).toMatchObject([
      { counts: { done: 1_000, released: 1_500, planned: 500, withdrawn: 0 } },
    ]);
  });

  it('withdraws rows that were removed from it', async () => {
    const ledger = createMachine().start();
    accepted(await ledger.register(planOf(people.join(' '))));
    const { notes } = accepted(await ledger.register(planOf(people.filter((_, at) => at % 3 !== 0).join(' '))));
    expect(notes).toEqual([{ note: 'withdrawn', rows: 1_000 }]);
  });
});
