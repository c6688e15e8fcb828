'use strict';

const { constants, fstatSync, openSync, statSync, writeSync } = require('node:fs');

module.exports = { isTerminal, output };

/** Replacements for terminals whose locale is not UTF-8. */
const plain = new Map([
  ['·', '-'],
  ['•', '*'],
  ['…', '...'],
  ['→', '->'],
  ['–', '-'],
  ['’', "'"],
  ['§', 'section '],
]);

const isWindows = process.platform === 'win32';

/** Without a locale, as in containers, the terminal is assumed to be UTF-8. */
const { LC_ALL, LC_CTYPE, LANG } = process.env;
const locale = LC_ALL || LC_CTYPE || LANG || 'UTF-8';

/**
 * @typedef {object} Outlet
 * @property {(since: number) => boolean} isAbandoned True if it is time to give up on a reader that has read nothing since then.
 * @property {() => void} onGone Called when the reader of stdout has closed the pipe.
 * @property {() => boolean} isListening True if signals are handled, which a blocked write would delay.
 */

/** Bytes that fit in any empty socket. For no more, `node:net` is not worth loading, which takes 3 ms. */
const smallOutput = 4_096;
/** The same for a few writes on Linux, whose sockets have room for 200 KB. */
const largerOutput = process.platform === 'linux' ? 65_536 : smallOutput;
const fewWrites = 16;

/**
 * Writes synchronously, because Node's streams take 3 ms to create. A full pipe or socket delays only the writer, not
 * the event loop.
 * @param {1 | 2} fd
 * @param {Outlet} outlet
 * @returns {import('../src/base/host.ts').Output & { share(until: Promise<unknown>): void }}
 */
function output(fd, { isAbandoned, onGone, isListening }) {
  /** @type {number | undefined} */
  let target;
  let [last, written, writes, isShared, isLost] = [Promise.resolve(), 0, 0, false, false];
  /** @type {Buffer[]} */
  let waiting = [];
  let next = last;
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
      // Waits for the previous write, which a full pipe may have accepted in part. Texts that wait are written together.
      if (waiting.push(Buffer.from(typeof text === 'string' ? forLocale(text, fd) : text)) > 1) return next;
      next = last.then(() => {
        const all = waiting;
        waiting = [];
        return writeAll(Buffer.concat(all));
      });
      last = next.catch(() => {});
      return next;
    },
    share(until) {
      isShared = true;
      // Node makes the descriptor blocking again for the child.
      if (target === fd) target = undefined;
      const end = () => void (isShared = false);
      until.then(end, end);
    },
  };

  /** @param {Buffer} bytes */
  async function writeAll(bytes) {
    if (isWindows && isTerminal(fd)) return writeToConsole(fd, bytes);
    let [rest, pause, since] = [bytes, 1, Infinity];
    while (rest.length > 0) {
      if (isLost) return lose(rest);
      const taken = attempt(destination(rest.length), rest);
      if (taken === undefined) return;
      written += taken;
      writes += 1;
      rest = rest.subarray(taken);
      if (taken > 0) [pause, since] = [1, Infinity];
      else {
        since = Math.min(since, Date.now());
        isLost = isAbandoned(since);
        pause = Math.min(2 * pause, 16);
        if (!isLost) await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /**
   * Counts what is not printed. Later output is dropped too, because the reader has an incomplete line.
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
    // On Windows a reader that has stopped reading stops the writer.
    if (!isListening() || isWindows) return fd;
    const own = reopened(fd);
    if (own !== undefined) return (target = own);
    // O_NONBLOCK would also apply to a child with the same stdout, and make its writes fail.
    if (isShared || written + length <= (writes < fewWrites ? largerOutput : smallOutput)) return fd;
    unblock(fd);
    return (target = fd);
  }

  /**
   * Returns the number of bytes written: 0 to a full pipe, undefined if the reader has closed it.
   * @param {number} to
   * @param {Buffer} bytes
   */
  function attempt(to, bytes) {
    try {
      return writeSync(to, bytes);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EAGAIN') return 0;
      // The command continues without a reader of its notes.
      if (fd === 2) return undefined;
      if (code !== 'EPIPE' && code !== 'ECONNRESET' && code !== 'EOF') {
        if (error instanceof Error) Object.assign(error, { isOutput: true });
        throw error;
      }
      onGone();
      return undefined;
    }
  }
}

/**
 * A file descriptor takes bytes in the console's own character set, the stream takes Unicode.
 * @param {1 | 2} fd
 * @param {Buffer} bytes
 * @returns {Promise<void>}
 */
function writeToConsole(fd, bytes) {
  const stream = fd === 1 ? process.stdout : process.stderr;
  return new Promise((resolve) => stream.write(bytes, () => resolve()));
}

/**
 * @param {string} text
 * @param {1 | 2} fd
 */
function forLocale(text, fd) {
  if (/utf-?8/i.test(locale) || !isTerminal(fd)) return text;
  return text.replace(/[·•…→–’§]/g, (character) => plain.get(character) ?? character);
}

/**
 * Returns a separate non-blocking file description of the pipe at `fd`; undefined if it is not a pipe.
 * @param {1 | 2} fd
 */
function reopened(fd) {
  try {
    if (fstatSync(fd).isFIFO()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // This system has no such path, or the reader has closed the pipe.
  }
  return undefined;
}

/** References that keep garbage collection from closing the descriptors. @type {unknown[]} */
const unblocked = [];

/**
 * Sets O_NONBLOCK on a pipe or socket, by creating a Node stream. Node resets it at exit.
 * @param {1 | 2} fd
 */
function unblock(fd) {
  try {
    const stat = fstatSync(fd);
    if (!stat.isSocket() && !stat.isFIFO()) return;
    const { Socket } = require('node:net');
    unblocked.push(new Socket({ fd, readable: false, writable: true }));
  } catch {
    // Closed, or a kind of socket that Node does not support.
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
    const stat = fstatSync(fd);
    // For /dev/null, node:tty need not be loaded, which takes 4 ms.
    return stat.isCharacterDevice() && stat.rdev !== nullDevice() && require('node:tty').isatty(fd);
  } catch {
    // Closed.
    return false;
  }
}

/** Undefined on Windows. */
function nullDevice() {
  return statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}
