#!/usr/bin/env node
'use strict';

const { existsSync, mkdirSync, statSync } = require('node:fs');
const nodeModule = require('node:module');
const { constants, homedir, userInfo } = require('node:os');
const { dirname, join } = require('node:path');
const { isTerminal, output } = require('./output.js');

const isWindows = process.platform === 'win32';
const [, , first = ''] = process.argv;
// The version and the help load too little code.
if (!first.startsWith('-')) keepCompiledCode();
const { main } = load(first === '__complete' ? 'complete' : 'main');

/** @type {AbortController | undefined} */
let interruption;
/** The first signal, and its time. @type {{ readonly name: NodeJS.Signals, readonly at: number } | undefined} */
let interrupted;
/** @type {((signal: import('../src/base/host.ts').EndSignal) => void) | undefined} */
let onSignal;
/** @type {(() => void) | undefined} */
let onUnread;

const outlet = { onGone, isEnding: () => interrupted !== undefined };
const [stdout, stderr] = [output(1, outlet), output(2, outlet)];

/** @type {import('../src/base/host.ts').Host} */
const host = {
  argv: process.argv.slice(2),
  env: process.env,
  stdout,
  stderr,
  get stdinIsTerminal() {
    return isTerminal(0);
  },
  streams: {
    get stdin() {
      return process.stdin;
    },
    get stderr() {
      return process.stderr;
    },
  },
  // HOME may be set and empty.
  get home() {
    return homedir() || userInfo().homedir;
  },
  node: process.versions.node,
  pid: process.pid,
  // A standalone binary has no script.
  self: typeof __CONTAINED__ === 'undefined' ? [process.execPath, __filename] : [process.execPath],
  // Listens on first use; the version and the help end before that.
  get signal() {
    return (interruption ??= listenForSignals()).signal;
  },
  handleSignals(listener, unreadListener) {
    interruption ??= listenForSignals();
    [onSignal, onUnread] = [listener, unreadListener];
    return () => {
      [onSignal, onUnread] = [undefined, undefined];
    };
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
  spawnDetached: (command, options) => require('./spawn.js').spawnDetached(command, options),
  spawnAttached: (command, options) => require('./spawn.js').spawnAttached(command, options),
};

// A process that ends early must not look like a success.
process.exitCode = 1;
void runMain();

function listenForSignals() {
  const controller = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    // Never removed: libraries that restore the cursor end the process if theirs is the only listener.
    // Windows knows no SIGTERM; Ctrl-Break asks for the same.
    process.on(isWindows && signal === 'SIGTERM' ? 'SIGBREAK' : signal, () => {
      interrupted ??= { name: signal, at: Date.now() };
      // The terminal and npx both pass on one Ctrl-C, so only a later signal counts as the second.
      const isSecond = Date.now() > interrupted.at + 500;
      if (onSignal) return onSignal(signal);
      if (isSecond) endBySignal(signal);
      controller.abort(signal);
    });
  }
  return controller;
}

/**
 * Ends the process with the default action of the signal.
 * @param {NodeJS.Signals} signal
 */
function endBySignal(signal) {
  // On Windows, a signal would look like an ordinary failure.
  if (isWindows) process.exit(128 + constants.signals[signal]);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

async function runMain() {
  process.exitCode = await main(host);
  await Promise.allSettled([stdout.write(''), stderr.write('')]);
  // A blocked write would block exit, too.
  if (interrupted && (stdout.isStuck || stderr.isStuck)) endBySignal(interrupted.name);
  // Nothing is left to do then, and Node would only take down the heap, for 1.4 ms.
  process.once('beforeExit', () => process.exit());
}

/** Lets Node keep compiled code in the cache folder of this user, unless others could put code there. */
function keepCompiledCode() {
  if (!('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')) return;
  const { XDG_CACHE_HOME } = process.env;
  const caches = XDG_CACHE_HOME?.startsWith('/') ? XDG_CACHE_HOME : join(homedir(), '.cache');
  const folder = join(caches, 'bizmsg');
  try {
    // With sudo, new folders would belong to root, and the user's programs could not use them.
    if (!isOwn(dirname(caches))) return;
    for (const path of [caches, folder]) {
      if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
      if (!isOwn(path)) return;
    }
    nodeModule.enableCompileCache(folder);
  } catch {
    // Each process compiles the code itself.
  }
}

/** @param {string} path */
function isOwn(path) {
  const { uid, mode } = statSync(path);
  return uid === process.geteuid?.() && (mode & 0o22) === 0;
}

/**
 * Loads the program, which the build makes from src/main.ts; completion has its own, from src/cli/complete/main.ts.
 * @param {'main' | 'complete'} entry
 * @returns {typeof import('../src/main.ts')}
 */
function load(entry) {
  const built = `../dist/cli/${entry}.cjs`;
  try {
    return require(built);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    process.stderr.write('error: bizmsg is not built yet\n  run npm run build\n');
    process.exitCode = 1;
    return { main: async () => 1 };
  }
}

/** A closed pipe, for example by head, is not a failure. After a signal, the signal ends the process. */
function onGone() {
  if (onUnread) return onUnread();
  if (!interrupted) interruption?.abort('SIGPIPE');
}
