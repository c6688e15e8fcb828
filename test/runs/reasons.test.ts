import { describe, expect, it } from 'vitest';
import { createReasons } from '../../src/runs/reasons.ts';

describe('a list of reasons', () => {
  const reasonsOf = (...reasons: readonly string[]) => {
    const { add, list } = createReasons();
    reasons.forEach((reason, at) => add(reason, at + 2));
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
  ])('groups reasons that differ only in their row: %s', (one, other, kind) => {
    expect(reasonsOf(one, other, one)).toEqual([{ reason: kind, count: 3, first_line: 2 }]);
  });

  it.each([
    'it is longer than 1048576 characters',
    'the service answered 400 Bad Request: /phone must be "+" followed by digits',
    'there is no template "welcom"',
    'a quote " alone',
  ])('quotes a reason that is the same for all rows: %s', (reason) => {
    expect(reasonsOf(reason, reason)).toEqual([{ reason, count: 2, first_line: 2 }]);
  });

  it('puts the most frequent first', () => {
    expect(reasonsOf('a', 'b "1"', 'b "2"')).toEqual([
      { reason: 'b "…"', count: 2, first_line: 3 },
      { reason: 'a', count: 1, first_line: 2 },
    ]);
  });
});
