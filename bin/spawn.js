'use strict';

const { spawn } = require('node:child_process');
const { closeSync, openSync } = require('node:fs');
const { dirname } = require('node:path');

/** @type {import('../src/base/host.ts').Host['spawnDetached']} */
function spawnDetached([program = '', ...words], { env, log }) {
  const output = openSync(log, 'a', 0o600);
  const child = spawn(program, words, {
    detached: true,
    env: { ...env },
    cwd: dirname(log),
    stdio: ['ignore', output, output],
    windowsHide: true,
  });
  child.on('error', () => {});
  closeSync(output);
  return child;
}

/** @type {import('../src/base/host.ts').Host['spawnAttached']} */
function spawnAttached(command, { env, apart, inShell = false, input }) {
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = input === undefined ? 'inherit' : ['pipe', 2, 2];
  const mayBeScript = process.platform === 'win32' && !inShell;
  const { file, words, verbatim } = mayBeScript ? require('./windows.js').runnable(command, env) : asIs(command);
  const how = { shell: inShell, windowsVerbatimArguments: verbatim };
  const child = spawn(file, words, { detached: apart, env: { ...env }, stdio, ...how });
  // It need not read its input.
  child.stdin?.on('error', () => {}).end(input);
  const ended = new Promise((resolve, reject) => {
    child.on('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', reject);
  });
  return { pid: child.pid, ended };
}

/** @param {readonly string[]} command */
function asIs([file = '', ...words]) {
  return { file, words, verbatim: false };
}

module.exports = { spawnAttached, spawnDetached };
