#!/usr/bin/env node
'use strict';

const { once } = require('node:events');
const { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } = require('node:fs');
const nodeModule = require('node:module');
const { homedir, userInfo } = require('node:os');
const { dirname, join } = require('node:path');
const { isTerminal, output } = require('./output.js');

const [, , ...argv] = process.argv;
const isStandalone = typeof __CONTAINED__ !== 'undefined';
// The version and the help load too little code.
if (!argv[0]?.startsWith('-') && !isStandalone) keepCompiledCode();
// As a plain literal, the type checker would follow it into the built program.
/** @type {typeof import('../src/main.ts')} */
// oxlint-disable-next-line typescript/no-unnecessary-type-assertion
const { main } = require(/** @type {string} */ ('../dist/cli/main.cjs'));

/** @type {import('./output.js').Signals} */
const signals = {};
const [stdout, stderr] = [output(1, signals, onGone), output(2, signals, onGone)];

/** @type {import('../src/base/host.ts').Host} */
const host = {
  argv,
  env: process.env,
  stdout,
  stderr,
  stdinIsTerminal: isTerminal(0),
  streams: process,
  readStdin: () => readFileSync(0, 'utf8'),
  // HOME may be set and empty.
  home: homedir() || userInfo().homedir,
  node: process.versions.node,
  pid: process.pid,
  parent: process.ppid,
  self: isStandalone ? [process.execPath] : [process.execPath, __filename],
  // Listens on first use; the version and the help end before that.
  get signal() {
    return listenForSignals().signal;
  },
  handleSignals(...handlers) {
    listenForSignals();
    signals.handlers = handlers;
    return () => void (signals.handlers = undefined);
  },
  now: Date.now,
  steady: () => Number(process.hrtime.bigint()) / 1e6,
  later(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  kill(pid, signal) {
    try {
      return process.kill(pid, signal);
    } catch (error) {
      // The process exists but belongs to another user.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
  sqlite: () => require('./sqlite.js').loadSqlite(),
  spawnDetached([program = '', ...words], { env, log }) {
    const file = openSync(log, 'a', 0o600);
    const options = { detached: true, env: { ...env }, cwd: dirname(log), windowsHide: true };
    const child = require('node:child_process').spawn(program, words, { ...options, stdio: ['ignore', file, file] });
    child.on('error', () => {});
    closeSync(file);
    return child;
  },
  spawnAttached([program = '', ...words], { env, apart }) {
    const options = /** @type {const} */ ({ detached: apart, env: { ...env }, stdio: 'inherit' });
    const child = require('node:child_process').spawn(program, words, options);
    return { pid: child.pid, ended: once(child, 'exit').then(([code, signal]) => ({ code, signal })) };
  },
};

// A process that ends early must not look like a success.
process.exitCode = 1;
void runMain();

function listenForSignals() {
  if (signals.controller) return signals.controller;
  const controller = (signals.controller = new AbortController());
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    // Never removed: libraries that restore the cursor end the process if theirs is the only listener.
    process.on(name, () => {
      signals.first ??= { name, at: performance.now() };
      if (signals.handlers) return signals.handlers[0](name);
      // The terminal and npx both pass on one Ctrl-C, so only a later signal counts as the second.
      if (performance.now() > signals.first.at + 500) endBySignal(name);
      controller.abort(name);
    });
  }
  return controller;
}

/** Ends the process with the default action of the signal. @param {NodeJS.Signals} signal */
function endBySignal(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

async function runMain() {
  process.exitCode = await main(host);
  await Promise.allSettled([stdout.write(''), stderr.write('')]);
  // Unread output would keep the process alive.
  if (signals.first && (stdout.isStuck || stderr.isStuck)) endBySignal(signals.first.name);
  // Nothing is left to do then, and Node would only take down the heap, for 1.4 ms.
  process.once('beforeExit', () => process.exit());
}

/** A closed pipe, for example by head, is not a failure. After a signal, the signal ends the process. */
function onGone() {
  if (signals.handlers?.[1]) return signals.handlers[1]();
  if (!signals.first) signals.controller?.abort('SIGPIPE');
}

/** Lets Node keep compiled code in the cache folder of this user, unless others could put code there. */
function keepCompiledCode() {
  if (!('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')) return;
  const { XDG_CACHE_HOME } = process.env;
  const caches = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : join(homedir(), '.cache');
  const [parent, folder] = [dirname(caches), join(caches, 'bizmsg')];
  try {
    for (const path of [parent, caches, folder]) {
      // Not recursively: in /proc, Node would never end.
      if (path !== parent && !existsSync(path)) mkdirSync(path, { mode: 0o700 });
      const { uid, mode } = statSync(path);
      // With sudo, new folders would belong to root, and the user's programs could not use them.
      if (uid !== process.geteuid?.() || (mode & 0o22) !== 0) return;
    }
    nodeModule.enableCompileCache(folder);
  } catch {
    // Each process compiles the code itself.
  }
}
