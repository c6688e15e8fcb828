import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellQuote } from '../../src/base/shell-quote.ts';

describe('a quoted word', () => {
  it.each([
    'acme',
    'Acme 2',
    '$(touch pwned)',
    "it's",
    '~/a',
    '*',
    '',
    '/home/ada/two words',
    'größe',
    'a\\b',
    '"',
    '-x',
  ])('%j is one word for the shell', (word) => {
    const printed = execFileSync('sh', ['-c', `printf '<%s>' ${shellQuote(word)}`], { encoding: 'utf8' });
    expect(printed).toBe(`<${word}>`);
  });

  it.each(['acme', '/home/ada/.config/bizmsg', '+12025550101', 'code=1'])('%j needs no quotes', (word) => {
    expect(shellQuote(word)).toBe(word);
  });

  it('shows nothing that a terminal acts on', () => {
    expect(shellQuote('a\u001b[31m\u202eb')).toBe(String.raw`$'a\033[31m\342\200\256b'`);
  });
});
