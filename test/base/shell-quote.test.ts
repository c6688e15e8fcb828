import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { powerShellQuote, shellQuote, windowsQuote } from '../../src/base/shell-quote.ts';
import { posixOnly } from '../support/system.ts';

describe('a quoted word', () => {
  it.each('acme|Acme 2|$(touch pwned)|it\'s|~/a|*||/home/ada/two words|größe|a\\b|"|-x'.split('|'))(
    '%j is one word for the shell',
    (word) => {
      posixOnly('it has no such shell');
      const printed = execFileSync('sh', ['-c', `printf '<%s>' ${shellQuote(word)}`], { encoding: 'utf8' });
      expect(printed).toBe(`<${word}>`);
    },
  );

  it.each(['acme', '/home/ada/.config/bizmsg', '+12025550101', 'code=1'])('%j needs no quotes', (word) => {
    expect(shellQuote(word)).toBe(word);
  });

  it('shows nothing that a terminal acts on', () => {
    posixOnly('it is for POSIX shells');
    expect(shellQuote('a\u001b[31m\u202eb')).toBe(String.raw`$'a\033[31m\342\200\256b'`);
  });
});

describe('a word on Windows', () => {
  it.each([
    [String.raw`C:\Users\me\people.csv`, String.raw`C:\Users\me\people.csv`],
    ['Acme 2', '"Acme 2"'],
    ["it's", `"it's"`],
    ['', '""'],
    ['größe,b', '"größe,b"'],
    ['x&calc', '"x&calc"'],
    ['x$&calc', '"x`$&calc"'],
    ['$(calc)', '"`$(calc)"'],
    ['a"&calc', '"a""&calc"'],
    ['a\u201d; calc', '"a`\u201d; calc"'],
    ['`a`', '"``a``"'],
  ])('%j is pasted as %s', (word, pasted) => {
    expect(windowsQuote(word)).toBe(pasted);
  });

  it('ends no text of PowerShell', () => {
    expect(powerShellQuote("a'b\u2019c\u2018d")).toBe("'a''b\u2019\u2019c\u2018\u2018d'");
  });
});
