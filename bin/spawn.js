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
function spawnAttached(command, { env, apart }) {
  const isWindows = process.platform === 'win32';
  const { file, words, verbatim } = isWindows ? require('./windows.js').runnable(command, env) : asIs(command);
  const how = { detached: apart, windowsVerbatimArguments: verbatim };
  const child = spawn(file, words, { ...how, env: { ...env }, stdio: 'inherit' });
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
