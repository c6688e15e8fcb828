'use strict';

const { spawnSync } = require('node:child_process');
const { statSync } = require('node:fs');
const { win32 } = require('node:path');

module.exports = { endTree, runnable };

/**
 * How to start a command: Windows starts `npm` only as `npm.cmd`, and scripts of cmd only within cmd.
 * @param {readonly string[]} command
 * @param {import('../src/base/host.ts').Env} env
 */
function runnable([program = '', ...words], env, isFile = isFileAt) {
  const file = found(program, env, isFile);
  if (!/\.(cmd|bat)$/i.test(file)) return { file, words, verbatim: false };
  const line = [file, ...words].map(quoted).join(' ');
  return {
    file: env['ComSpec'] ?? 'cmd.exe',
    words: ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

/**
 * The file of a program in PATH, with one of the usual endings; the program itself if no file is found.
 * @param {string} program
 * @param {import('../src/base/host.ts').Env} env
 * @param {(path: string) => boolean} isFile
 */
function found(program, env, isFile) {
  const endings = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';');
  const names = [...(win32.extname(program) === '' ? [] : ['']), ...endings].map((ending) => program + ending);
  const path = env['PATH'] ?? env['Path'] ?? '';
  const folders = /[\\/:]/.test(program) ? [''] : path.split(';').filter((folder) => folder !== '');
  for (const folder of folders)
    for (const name of names) {
      const file = folder === '' ? name : win32.join(folder, name);
      if (isFile(file)) return file;
    }
  return program;
}

/** @param {string} path */
function isFileAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * A word for cmd, which replaces %NAME% even within quotes. `%cd:~,%` is nothing, and keeps a percent sign from being
 * the end of a name. A line break would end the command.
 * @param {string} word
 */
function quoted(word) {
  if (/[\r\n]/.test(word)) throw Object.assign(new Error('a line break'), { code: 'EINVAL', syscall: 'spawn' });
  const escaped = word
    .replace(/\\+(?="|$)/g, '$&$&')
    .replaceAll('"', '""')
    .replaceAll('%', '%%cd:~,%');
  return `"${escaped}"`;
}

/**
 * Ends a process and those that it has started.
 * @param {number} pid
 */
function endTree(pid) {
  const { status } = spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
  return status === 0 || process.kill(pid, 'SIGKILL');
}
