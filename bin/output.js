'use strict';

const { constants, fstatSync, openSync, writeSync } = require('node:fs');

module.exports = { isTerminal, output };

/** What a terminal of another locale than Unicode's is shown in place of our own letters. */
const plain = new Map([
  ['·', '-'],
  ['•', '*'],
  ['…', '...'],
  ['→', '->'],
  ['–', '-'],
  ['’', "'"],
  ['§', 'section '],
]);

/** A locale that says nothing is that of a container, whose terminal is one of today. */
const { LC_ALL, LC_CTYPE, LANG } = process.env;
const locale = LC_ALL || LC_CTYPE || LANG || 'UTF-8';

/**
 * @typedef {object} Outlet
 * @property {(since: number) => boolean} isLeft Whether to stop waiting for a reader that took nothing since then.
 * @property {() => void} onGone Called when the reader of stdout went away.
 * @property {() => boolean} isListening Whether signals are handled here, which a blocked write would keep waiting.
 */

/** What fits in any empty socket: loading `node:net` for less would slow down short commands. */
const atOnce = 4_096;

/**
 * Writes synchronously, since Node's own streams take 3 ms to create. A pipe or socket that is full makes only the
 * writer wait, never the event loop.
 * @param {1 | 2} fd
 * @param {Outlet} outlet
 * @returns {import('../src/base/host.ts').Output & { share(until: Promise<unknown>): void }}
 */
function output(fd, { isLeft, onGone, isListening }) {
  /** @type {number | undefined} */
  let target;
  let [last, written, isShared, isLost] = [Promise.resolve(), 0, false, false];
  const unprinted = { bytes: 0, lines: 0 };
  return {
    get isTTY() {
      return isTerminal(fd);
    },
    get columns() {
      return isTerminal(fd) ? (fd === 1 ? process.stdout : process.stderr).columns : undefined;
    },
    unprinted,
    get isFile() {
      return isRegular(fd);
    },
    write(text) {
      const bytes = Buffer.from(typeof text === 'string' ? lettered(text, fd) : text);
      // A write waits for the one before it, of which a full pipe may have taken only a part.
      const done = last.then(() => writeAll(bytes));
      last = done.catch(() => {});
      return done;
    },
    share(until) {
      isShared = true;
      // Node makes it blocking again for the command.
      if (target === fd) target = undefined;
      const end = () => void (isShared = false);
      until.then(end, end);
    },
  };

  /** @param {Buffer} bytes */
  async function writeAll(bytes) {
    let [rest, pause, since] = [bytes, 1, Infinity];
    while (rest.length > 0) {
      if (isLost) return lose(rest);
      const taken = attempt(destination(rest.length), rest);
      if (taken === undefined) return;
      written += taken;
      rest = rest.subarray(taken);
      if (taken > 0) [pause, since] = [1, Infinity];
      else {
        since = Math.min(since, Date.now());
        isLost = isLeft(since);
        pause = Math.min(2 * pause, 16);
        if (!isLost) await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /**
   * Counts what is not printed. It is never tried again: the reader has half a line.
   * @param {Buffer} rest
   */
  function lose(rest) {
    unprinted.bytes += rest.length;
    for (const byte of rest) if (byte === 0x0a) unprinted.lines += 1;
  }

  /**
   * Opens or changes the file descriptor before the first write that might block.
   * @param {number} length
   */
  function destination(length) {
    if (target !== undefined) return target;
    if (!isListening()) return fd;
    const own = reopened(fd);
    if (own !== undefined) return (target = own);
    // The flag that makes it non-blocking would hold for a command that has the same stdout, and fail its writes.
    if (isShared || written + length <= atOnce) return fd;
    unblock(fd);
    return (target = fd);
  }

  /**
   * Returns the number of bytes taken: 0 by a full pipe, undefined if nobody reads it any more.
   * @param {number} to
   * @param {Buffer} bytes
   */
  function attempt(to, bytes) {
    try {
      return writeSync(to, bytes);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EAGAIN') return 0;
      // The work is done even if nobody reads the notes.
      if (fd === 2) return undefined;
      if (code !== 'EPIPE' && code !== 'ECONNRESET') throw error;
      onGone();
      return undefined;
    }
  }
}

/**
 * @param {string} text
 * @param {1 | 2} fd
 */
function lettered(text, fd) {
  if (/utf-?8/i.test(locale) || !isTerminal(fd)) return text;
  return text.replace(/[·•…→–’§]/g, (letter) => plain.get(letter) ?? letter);
}

/**
 * A non-blocking file description of our own for the pipe at `fd`, or for anything else undefined.
 * @param {1 | 2} fd
 */
function reopened(fd) {
  try {
    if (fstatSync(fd).isFIFO()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // No such path on this system, or nobody reads the pipe any more.
  }
  return undefined;
}

/** Keeps Node from closing the descriptors when it collects these. @type {unknown[]} */
const unblocked = [];

/**
 * Sets O_NONBLOCK on a pipe or socket, which Node does for every stream that it makes, and takes back at the end.
 * @param {1 | 2} fd
 */
function unblock(fd) {
  try {
    const stat = fstatSync(fd);
    if (!stat.isSocket() && !stat.isFIFO()) return;
    const { Socket } = require('node:net');
    unblocked.push(new Socket({ fd, readable: false, writable: true }));
  } catch {
    // Closed, or a socket of a kind that Node does not know.
  }
}

/** @param {1 | 2} fd */
function isRegular(fd) {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
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
