import { describe, expect, it } from 'vitest';
import { runnable } from '../../bin/windows.js';

const files = new Set([
  String.raw`c:\node\npm`,
  String.raw`c:\node\npm.cmd`,
  String.raw`c:\node\node.exe`,
  String.raw`c:\two words\tool.bat`,
  String.raw`.\mine.cmd`,
]);
const env = { PATH: String.raw`C:\two words;;C:\node`, PATHEXT: '.EXE;.BAT;.CMD', ComSpec: 'cmd' };
const started = (...command: readonly string[]) => runnable(command, env, (path) => files.has(path.toLowerCase()));
const lineOf = (...command: readonly string[]) => started(...command).words.at(-1);

describe('a command on Windows', () => {
  it.each([
    [['node', '-e', 'a "b"'], String.raw`C:\node\node.EXE`],
    [['node.exe'], String.raw`C:\node\node.exe`],
    [[String.raw`C:\node\node`], String.raw`C:\node\node.EXE`],
    [['missing', 'x'], 'missing'],
  ])('%j is started as it is', ([program = '', ...words], file) => {
    expect(started(program, ...words)).toEqual({ file, words, verbatim: false });
  });

  it('runs a script within cmd', () => {
    const { file, words, verbatim } = started('npm', 'test');
    expect([file, verbatim, words.slice(0, -1)]).toEqual(['cmd', true, ['/d', '/e:on', '/v:off', '/s', '/c']]);
    expect(words.at(-1)).toBe(String.raw`""C:\node\npm.CMD" "test""`);
  });

  it.each([
    ['a & calc', String.raw`"a & calc"`],
    ['say "hi" & calc', String.raw`"say ""hi"" & calc"`],
    [String.raw`C:\x\ `.trim(), String.raw`"C:\x\\"`],
    [String.raw`a\"b`, String.raw`"a\\""b"`],
    ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
  ])('passes a script %j as one word', (word, quoted) => {
    expect(lineOf('tool', word)).toBe(String.raw`""C:\two words\tool.BAT" ${quoted}"`);
  });

  it('passes a script no line break, which would end the command', () => {
    expect(() => started('npm', 'a\ncalc')).toThrow(expect.objectContaining({ code: 'EINVAL', syscall: 'spawn' }));
  });

  it('does not look for a program in the current folder', () => {
    expect(started('mine').file).toBe('mine');
    expect(lineOf(String.raw`.\mine`)).toBe(String.raw`"".\mine.CMD""`);
  });
});
