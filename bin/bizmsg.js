#!/usr/bin/env node
'use strict';

const { homedir, userInfo } = require('node:os');
const { isTerminal, output } = require('./output.js');
const { main } = load(process.argv[2] === '__complete' ? 'complete' : 'main');

/** @type {AbortController | undefined} */
let interruption;
/** @type {number | undefined} */
let interruptedAt;
/** When a second signal said that the user will not wait. */
let leftAt = Number.POSITIVE_INFINITY;
/** Milliseconds for which a reader may take nothing: after one signal, and after a second one. */
const patience = { once: 1_500, twice: 100 };
/** @type {((signal: import('../src/base/host.ts').EndSignal) => void) | undefined} */
let taker;
/** @type {(() => void) | undefined} */
let unread;

const outlet = { isLeft, onGone, isListening: () => interruption !== undefined };
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
  self: [process.execPath, __filename],
  // From the first look on; the version and the help are gone before.
  get signal() {
    return (interruption ??= listening()).signal;
  },
  handleSignals(listener, onUnread) {
    interruption ??= listening();
    [taker, unread] = [listener, onUnread];
    return () => {
      [taker, unread] = [undefined, undefined];
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
      // Not ours to signal, so it lives.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
  spawnDetached: (command, options) => require('./spawn.js').spawnDetached(command, options),
  spawnAttached(command, options) {
    const child = require('./spawn.js').spawnAttached(command, options);
    for (const one of [stdout, stderr]) one.share(child.ended);
    return child;
  },
};

// Until it is known: a process that ends on its way must not look like success.
process.exitCode = 1;
void end();

function listening() {
  const controller = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    // It stays: libraries that restore the cursor end the process where theirs is the only listener left.
    process.on(signal, () => {
      const now = Date.now();
      interruptedAt ??= now;
      // A terminal and npx both pass one Ctrl-C on; a second one is by somebody who will not wait.
      const isSecond = now > interruptedAt + 500;
      if (isSecond) leftAt = Math.min(leftAt, now);
      if (taker) return taker(signal);
      if (isSecond) leave(signal);
      controller.abort(signal);
    });
  }
  return controller;
}

/**
 * The signal's own way, with nobody left to hear it.
 * @param {NodeJS.Signals} signal
 */
function leave(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

async function end() {
  process.exitCode = await main(host);
}

/**
 * What a shell asks at a TAB is answered by a program of its own.
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

/**
 * Whether to stop waiting for a reader that has taken nothing since then.
 * @param {number} since
 */
function isLeft(since) {
  const now = Date.now();
  return now > leftAt + patience.twice || now > Math.max(since, interruptedAt ?? Infinity) + patience.once;
}

/** A reader that went away, as head does, is not a failure; after a signal, it is the signal that ends the process. */
function onGone() {
  if (unread) return unread();
  if (interruptedAt === undefined) interruption?.abort('SIGPIPE');
}
