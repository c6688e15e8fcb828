import { describe, expect, it } from 'vitest';
import { delimiterOf } from '../../../src/runs/input/csv.ts';

describe('the delimiter', () => {
  it.each([
    ['a comma', 'phone,name\n+1,Ada\n', ','],
    ['a semicolon, with decimal commas', 'phone;price\n+1;1,5\n+2;2,5\n', ';'],
    ['a tab', 'phone\tname\n+1\tLovelace, Ada\n', '\t'],
    ['a vertical bar', 'phone|name\n+1|a;b\n', '|'],
    ['a comma, with semicolons in a cell', 'phone,tags\n+1,a;b;c\n+2,d\n', ','],
    ['a semicolon, with commas in quotes', '"phone";"name"\n"+1";"Lovelace, Ada"\n', ';'],
    ['a semicolon, with a damaged row', 'phone;name\n+1;Ada\n+2\n+3;C\n', ';'],
    ['a comma in a file with one column', 'phone\n+1\n', ','],
    ['a comma in an empty file', '', ','],
    ['a semicolon in a header without rows', 'phone;name', ';'],
    ['the one in a sep= line', 'sep=|\na,b|c\n', '|'],
  ])('is %s', (_, text, delimiter) => {
    expect(delimiterOf(text, true)).toBe(delimiter);
  });
});
