'use strict';

const { fstatSync, statSync, write, writeSync } = require('node:fs');

module.exports = { isTerminal, output };

/** Bytes of one write to a slow reader, whose progress is visible after each. */
const slice = 65_536;
/** Milliseconds to wait after a signal for a reader that has stopped reading. */
const patience = 1_500;
const closed = new Set(['EPIPE', 'ECONNRESET', 'EOF']);

/** The last write to each pipe or file. stdout and stderr may be the same one. @type {Map<string, Promise<void>>} */
const lastWrites = new Map();

/**
 * Writes in order, without Node's streams, which take 3 ms to create. Pipes are written in another thread, so that a
 * reader that has stopped reading does not block signals.
 * @param {1 | 2} fd
 * @param {object} outlet
 * @param {() => boolean} outlet.isEnding True after the first signal.
 * @param {() => void} outlet.onGone Called when the reader of stdout has closed the pipe.
 * @returns {import('../src/base/host.ts').Output & { readonly isStuck: boolean }}
 */
function output(fd, { isEnding, onGone }) {
  const kind = statOf(fd);
  const isPipe = kind?.isFIFO() || kind?.isSocket();
  const place = kind ? `${kind.dev} ${kind.ino}` : '';
  let isStuck = false;
  return {
    get isTTY() {
      return isTerminal(fd);
    },
    get columns() {
      return isTerminal(fd) ? stream().columns : undefined;
    },
    isFile: kind?.isFile() ?? false,
    get isStuck() {
      return isStuck;
    },
    write(text) {
      const next = (lastWrites.get(place) ?? Promise.resolve()).then(() => writeAll(Buffer.from(text)));
      lastWrites.set(
        place,
        next.catch(() => {}),
      );
      return next;
    },
  };

  /** @param {Buffer} bytes */
  async function writeAll(bytes) {
    try {
      for (let rest = bytes; rest.length > 0;) {
        const taken = writeNow(rest) ?? (await writeInThread(rest.subarray(0, slice)));
        rest = rest.subarray(taken);
      }
    } catch (error) {
      // The command continues without a reader of its notes.
      if (fd === 2 || !(error instanceof Error)) return;
      if ('code' in error && closed.has(String(error.code))) return onGone();
      throw Object.assign(error, { isOutput: true });
    }
  }

  /**
   * Returns the number of bytes written; undefined if a write might block.
   * @param {Buffer} bytes
   */
  function writeNow(bytes) {
    if (isStuck) throw new Error(unread);
    if (isConsole(fd) || isPipe) return undefined;
    try {
      return writeSync(fd, bytes);
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  /**
   * Gives up if nothing is read for a while after a signal.
   * @param {Buffer} bytes
   * @returns {Promise<number>}
   */
  function writeInThread(bytes) {
    return new Promise((resolve, reject) => {
      // A console takes bytes in its own character set, and the stream takes Unicode.
      if (isConsole(fd)) return stream().write(bytes, () => resolve(bytes.length));
      let waited = 0;
      const timer = setInterval(() => {
        if (isEnding()) waited += patience / 10;
        isStuck = waited >= patience;
        if (isStuck) end(new Error(unread));
      }, patience / 10);
      return attempt();

      function attempt() {
        write(fd, bytes, (error, taken) => (isBusy(error) ? setTimeout(attempt, 10) : end(error, taken)));
      }

      /** @param {Error | null} error */
      function end(error, taken = 0) {
        clearInterval(timer);
        return error ? reject(error) : resolve(taken);
      }
    });
  }

  function stream() {
    return fd === 1 ? process.stdout : process.stderr;
  }
}

const unread = 'nothing reads it';

/**
 * Whether another program has made the descriptor non-blocking, and it is full.
 * @param {unknown} error
 */
function isBusy(error) {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

/** @param {number} fd */
function isConsole(fd) {
  return process.platform === 'win32' && isTerminal(fd);
}

/** @param {number} fd */
function isTerminal(fd) {
  const stat = statOf(fd);
  if (!stat?.isCharacterDevice()) return false;
  // For /dev/null, node:tty need not be loaded, which takes 4 ms.
  return stat.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev && require('node:tty').isatty(fd);
}

/** @param {number} fd */
function statOf(fd) {
  try {
    return fstatSync(fd);
  } catch {
    // Closed.
    return undefined;
  }
}
