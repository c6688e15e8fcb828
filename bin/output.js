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
 * Node's own streams cost 3 ms to make, and write to files, pipes and terminals in one go as this does.
 * @param {1 | 2} fd
 * @param {{ readonly isLeft: () => boolean, readonly onGone: () => void }} told
 * @returns {import('../src/host.ts').Output}
 */
function output(fd, told) {
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
      const bytes = Buffer.from(typeof text === 'string' ? lettered(text, fd) : text);
      // What a full pipe took in part is not broken up by the next.
      const written = last.then(() => writeAll((target ??= fd === 1 ? unblocked() : fd), bytes, told));
      last = written.catch(() => {});
      return written;
    },
  };
}

/**
 * @param {string} text
 * @param {1 | 2} fd
 */
function lettered(text, fd) {
  if (/utf-?8/i.test(locale) || !isTerminal(fd)) return text;
  return text.replace(/[·•…→–’§]/g, (letter) => plain.get(letter) ?? letter);
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
 * @param {{ readonly isLeft: () => boolean, readonly onGone: () => void }} told
 */
async function writeAll(fd, bytes, { isLeft, onGone }) {
  let [rest, pause] = [bytes, 1];
  while (rest.length > 0) {
    const written = attempt(fd, rest, onGone);
    if (written === undefined || (written === 0 && isLeft())) return;
    pause = written === 0 ? Math.min(2 * pause, 16) : 1;
    if (written === 0) await new Promise((resolve) => setTimeout(resolve, pause));
    rest = rest.subarray(written);
  }
}

/**
 * How many bytes were taken: none by a pipe that is full, undefined by one that nobody reads any more.
 * @param {number} fd
 * @param {Buffer} bytes
 * @param {() => void} onGone
 */
function attempt(fd, bytes, onGone) {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EAGAIN') return 0;
    // That nobody hears a note must not keep the work from being done.
    if (fd === 2) return undefined;
    if (code !== 'EPIPE') throw error;
    onGone();
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
