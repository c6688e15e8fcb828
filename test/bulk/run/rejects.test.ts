import { describe, expect, it } from 'vitest';
import { createReasons } from '../../../src/bulk/run/reasons.ts';
import { rejectedRows } from '../../../src/bulk/run/rejects.ts';
import * as rig from './rig.ts';

describe('the rejected rows', () => {
  it('of all parts of a run come in the order of the input, with why', async () => {
    const folder = rig.stateFolder();
    const input = Array.from({ length: 120 }, (_, at) => (at % 10 === 3 ? '!bad' : `row ${at}`));
    const first = await rig.part(folder, input, { concurrency: 8, send: slowly(60) });
    expect(first.summary.stopped).toMatchObject({ exit: 'rateLimited' });
    const { run, summary } = await rig.part(folder, input, { concurrency: 8, send: slowly(), opening: rig.resume });
    const rows = await all(rejectedRows(run.folder, rig.rowsOf(input)));
    const expected = input.flatMap((text, at) => {
      if (text === '!bad') return [`${at + 1} failed bad`];
      return at % 7 === 0 ? [`${at + 1} ${at % 2 ? 'failed rejected' : 'unsure unsure'} it is`] : [];
    });
    expect(rows.map(({ row, outcome, reason }) => `${row.number} ${outcome} ${reason}`)).toEqual(expected);
    expect(rows.every(({ row, line }) => line === row.line && row.raw)).toBe(true);
    expect(summary.failed + summary.unsure).toBe(expected.length);
  });

  it('are none where all went well, and the input is not read for it', async () => {
    const { run } = await rig.part(rig.stateFolder(), ['a'], {});
    const unread = { [Symbol.asyncIterator]: () => expect.fail('it is read') };
    expect(await all(rejectedRows(run.folder, unread))).toEqual([]);
  });

  /** Every seventh is refused or unsure, later ones sooner than those before; at this one it stops. */
  function slowly(end?: number) {
    return async (content: string) => {
      const at = Number(content.slice(4));
      for (let turn = at % 5; turn < 5; turn++) await new Promise(setImmediate);
      if (at === end) throw rig.failure('rateLimited', 'no', 429);
      if (at % 7 === 0) throw at % 2 ? rig.rejected() : rig.fault();
    };
  }
});

describe('reasons of one kind', () => {
  const told = (...reasons: readonly string[]) => {
    const { add, list } = createReasons();
    reasons.forEach(add);
    return list();
  };
  const answered = 'the service answered 400 Bad Request:';

  it.each([
    ['"+1555" is not a phone number', '"12" is not a phone number', '"…" is not a phone number'],
    [`${answered} +12025550101 is taken`, `${answered} +12025550102 is taken`, `${answered} +… is taken`],
    ['ada@example.com is no address', 'bo@example.com is no address', '… is no address'],
    ['row 12 is empty', 'row 13 is empty', 'row … is empty'],
    ['the recipient is that of line 2', 'the recipient is that of line 12', 'the recipient is that of line …'],
    ['contact 3f2b8c1a-77aa-4b11-9c53-0a1b2c3d4e5f exists', 'contact 3f2b8c1a-77ab exists', 'contact … exists'],
    ['cannot connect to 127.0.0.1:8080', 'cannot connect to 127.0.0.1:8081', 'cannot connect to 127.0.0.1:…'],
    ['"a" must be "+" and digits', '"b" must be "+" and digits', '"…" must be "+" and digits'],
  ])('differ in their row alone, and only that is left out: %s', (one, other, kind) => {
    expect(told(one, other, one)).toEqual([{ reason: kind, count: 3 }]);
  });

  it.each([
    'it is longer than 1048576 characters',
    'the service answered 400 Bad Request: /phone must be "+" followed by digits',
    'there is no template "welcom"',
    'a quote " alone',
  ])('that are all the same are told in full: %s', (reason) => {
    expect(told(reason, reason)).toEqual([{ reason, count: 2 }]);
  });

  it('are told by kind, the most frequent first', () => {
    expect(told('a', 'b "1"', 'b "2"')).toEqual([
      { reason: 'b "…"', count: 2 },
      { reason: 'a', count: 1 },
    ]);
  });
});

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}
