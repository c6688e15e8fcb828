#!/usr/bin/env node
'use strict';

const { fstatSync, writeSync } = require('node:fs');
const { homedir, userInfo } = require('node:os');
const { main } = load();

/** @type {AbortController | undefined} */
let interruption;
/** @type {number | undefined} */
let interruptedAt;
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
      if (taker) return taker(signal);
      // A terminal and npx both pass one Ctrl-C on; a second one is by somebody who will not wait.
      if (interruptedAt !== undefined && Date.now() > interruptedAt + 500) leave(signal);
      interruptedAt ??= Date.now();
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

/** @returns {typeof import('../src/main.ts')} */
function load() {
  const built = '../dist/cli/main.cjs';
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
  return {
    get isTTY() {
      return isTerminal(fd);
    },
    get columns() {
      return isTerminal(fd) ? (fd === 1 ? process.stdout : process.stderr).columns : undefined;
    },
    async write(text) {
      let rest = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text);
      while (rest.length > 0) {
        const written = attempt(fd, rest);
        if (written === undefined) return;
        if (written === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        rest = rest.subarray(written);
      }
    },
  };
}

/**
 * How many bytes were taken: none by a pipe that is full, undefined by one that nobody reads any more.
 * @param {1 | 2} fd
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
    // A reader that went away, as head does, is not a failure.
    interruption?.abort('SIGPIPE');
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
