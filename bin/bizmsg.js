#!/usr/bin/env node
'use strict';

const { constants, fstatSync, openSync, writeSync } = require('node:fs');
const { homedir, userInfo } = require('node:os');
const { main } = load(process.argv[2] === '__complete' ? 'complete' : 'main');

/** @type {AbortController | undefined} */
let interruption;
/** @type {number | undefined} */
let interruptedAt;
/** Since when somebody will not wait any more. */
let leftAt = Number.POSITIVE_INFINITY;
/** @type {((signal: import('../src/host.ts').EndSignal) => void) | undefined} */
let taker;

/** @type {import('../src/host.ts').Host} */
const host = {
  argv: process.argv.slice(2),
  env: process.env,
  stdout: output(1),
  stderr: output(2),
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
  pid: process.pid,
  self: [process.execPath, __filename],
  // From the first look on; the version and the help are gone before.
  get signal() {
    return (interruption ??= listening()).signal;
  },
  takeSignals(listener) {
    interruption ??= listening();
    taker = listener;
    return () => {
      taker = undefined;
    };
  },
  now: Date.now,
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
  spawnAttached: (command, options) => require('./spawn.js').spawnAttached(command, options),
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
 * Node's own streams cost 3 ms to make, and write to files, pipes and terminals in one go as this does.
 * @param {1 | 2} fd
 * @returns {import('../src/host.ts').Output}
 */
function output(fd) {
  /** @type {number | undefined} */
  let target;
  let last = Promise.resolve();
  return {
    get isTTY() {
      return isTerminal(fd);
    },
    get columns() {
      return isTerminal(fd) ? (fd === 1 ? process.stdout : process.stderr).columns : undefined;
    },
    write(text) {
      // What a full pipe took in part is not broken up by the next.
      const written = last.then(() => writeAll((target ??= fd === 1 ? unblocked() : fd), Buffer.from(text)));
      last = written.catch(() => {});
      return written;
    },
  };
}

/** Stdout; where it is a pipe, so opened that a reader who takes nothing cannot keep signals from being heard. */
function unblocked() {
  try {
    if (fstatSync(1).isFIFO()) return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // A system that has no such path, or a pipe that nobody reads any more.
  }
  return 1;
}

/**
 * @param {number} fd
 * @param {Buffer} bytes
 */
async function writeAll(fd, bytes) {
  let [rest, pause] = [bytes, 1];
  while (rest.length > 0) {
    const written = attempt(fd, rest);
    if (written === undefined || (written === 0 && Date.now() > leftAt + 100)) return;
    pause = written === 0 ? Math.min(2 * pause, 16) : 1;
    if (written === 0) await new Promise((resolve) => setTimeout(resolve, pause));
    rest = rest.subarray(written);
  }
}

/**
 * How many bytes were taken: none by a pipe that is full, undefined by one that nobody reads any more.
 * @param {number} fd
 * @param {Buffer} bytes
 */
function attempt(fd, bytes) {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EAGAIN') return 0;
    // That nobody hears a note must not keep the work from being done.
    if (fd === 2) return undefined;
    if (code !== 'EPIPE') throw error;
    // A reader that went away, as head does, is not a failure; after a signal, it is the signal that ends the process.
    if (interruptedAt === undefined) interruption?.abort('SIGPIPE');
    return undefined;
  }
}

/** @param {0 | 1 | 2} fd */
function isTerminal(fd) {
  try {
    return fstatSync(fd).isCharacterDevice() && require('node:tty').isatty(fd);
  } catch {
    // Closed.
    return false;
  }
}
