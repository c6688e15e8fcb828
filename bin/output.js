'use strict';

const { fstatSync, statSync, writeSync } = require('node:fs');

module.exports = { isTerminal, output };

/** Bytes of one write to a slow reader, whose progress is visible after each. */
const slice = 65_536;
/** Milliseconds to wait after a signal for a reader that has stopped reading. */
const patience = 1_500;
const gone = new Set(['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED']);

/**
 * The controller is there once the process handles signals.
 * @typedef {Parameters<import('../src/base/host.ts').Host['handleSignals']>} Handlers
 * @typedef {{ controller?: AbortController, first?: { name: NodeJS.Signals, at: number }, handlers?: Handlers }} Signals
 */

/**
 * stdout or stderr. A stream of Node takes 3 ms to create, so a pipe gets one only once the process handles signals, which
 * a reader that has stopped reading would block. `onGone` is called when the reader of stdout has closed the pipe.
 * @param {1 | 2} fd
 * @param {Signals} signals
 * @param {() => void} onGone
 */
function output(fd, signals, onGone) {
  const [stats, isTTY] = [statOf(fd), isTerminal(fd)];
  const isPipe = stats?.isFIFO() || stats?.isSocket();
  // The console of Windows has a character set of its own.
  let isStreamed = process.platform === 'win32' && isTTY;
  const self = {
    isTTY,
    isFile: stats?.isFile() ?? false,
    isStuck: false,
    get columns() {
      return isTTY ? stream().columns : undefined;
    },
    /** @param {string | Uint8Array} text */
    async write(text) {
      try {
        const rest = writeNow(Buffer.from(text));
        if (isStreamed) await writeLater(rest);
      } catch (error) {
        // The command continues without a reader of its notes.
        if (fd === 2 || !(error instanceof Error)) return;
        if (!('code' in error && gone.has(String(error.code)))) throw Object.assign(error, { isOutput: true });
        onGone();
      }
    },
  };
  return self;

  function stream() {
    return fd === 1 ? process.stdout : process.stderr;
  }

  /** @param {Buffer} bytes */
  function writeNow(bytes) {
    if (isPipe && signals.controller) isStreamed = true;
    if (isStreamed) return bytes;
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      // Another program has made the descriptor non-blocking, and it is full.
      isStreamed = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!isStreamed) throw error;
    }
    return bytes;
  }

  /** Gives up if nothing is read for a while after a signal. @param {Buffer} bytes */
  function writeLater(bytes) {
    const to = stream();
    if (to.listenerCount('error') === 0) to.on('error', () => {});
    return new Promise((resolve, reject) => {
      let [unread, waited] = [to.writableLength, 0];
      const timer = setInterval(() => {
        waited = signals.first && to.writableLength === unread ? waited + patience / 10 : 0;
        unread = to.writableLength;
        self.isStuck ||= waited >= patience;
        if (self.isStuck) end(new Error('nothing reads it'));
      }, patience / 10);
      /** @param {Error | null} [error] */
      const end = (error) => {
        clearInterval(timer);
        return error ? reject(error) : resolve(undefined);
      };
      for (let at = 0; at < bytes.length; at += slice) to.write(bytes.subarray(at, at + slice));
      to.write('', end);
    });
  }
}

/** @param {number} fd */
function isTerminal(fd) {
  const stats = statOf(fd);
  if (!stats?.isCharacterDevice()) return false;
  // For /dev/null, node:tty need not be loaded, which takes 4 ms.
  return stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev && require('node:tty').isatty(fd);
}

/** @param {number} fd */
function statOf(fd) {
  try {
    return fstatSync(fd);
  } catch {
    return undefined;
  }
}
