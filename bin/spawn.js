'use strict';

const { spawn } = require('node:child_process');
const { closeSync, openSync } = require('node:fs');
const { dirname } = require('node:path');

module.exports = { spawnAttached, spawnDetached };

/** @type {import('../src/base/host.ts').Host['spawnDetached']} */
function spawnDetached([program = '', ...words], { env, log }) {
  const output = openSync(log, 'a', 0o600);
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = ['ignore', output, output];
  const child = spawn(program, words, { detached: true, env: { ...env }, cwd: dirname(log), stdio, windowsHide: true });
  child.on('error', () => {});
  closeSync(output);
  return child;
}

/** @type {import('../src/base/host.ts').Host['spawnAttached']} */
function spawnAttached([program = '', ...words], { env, apart }) {
  const child = spawn(program, words, { detached: apart, env: { ...env }, stdio: 'inherit' });
  const ended = new Promise((resolve, reject) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', reject);
  });
  return { pid: child.pid, ended };
}
