'use strict';

const { fstatSync, statSync, writeSync } = require('node:fs');

/** Bytes that fit into empty pipes. They are written at once, because Node's streams take 3 ms to create. */
let room = 4_096;
/** Bytes of one write to a slow reader, whose progress is visible after each. */
const slice = 65_536;
/** Milliseconds to wait after a signal for a reader that has stopped reading. */
const patience = 1_500;
const gone = new Set(['EPIPE', 'ECONNRESET', 'EOF', 'ERR_STREAM_DESTROYED']);

/** stdout or stderr. A reader that has stopped reading does not block signals. */
class Output {
  /** Whether nothing reads it. */
  isStuck = false;
  /** @type {1 | 2} */
  #fd;
  /** @type {{ isEnding(): boolean, onGone(): void }} */
  #outlet;
  /** @type {boolean} */
  #isStream;

  /**
   * @param {1 | 2} fd
   * @param {object} outlet
   * @param {() => boolean} outlet.isEnding True after the first signal.
   * @param {() => void} outlet.onGone Called when the reader of stdout has closed the pipe.
   */
  constructor(fd, outlet) {
    [this.#fd, this.#outlet] = [fd, outlet];
    const stats = statOf(fd);
    this.isFile = stats?.isFile() ?? false;
    this.isPipe = Boolean(stats?.isFIFO() || stats?.isSocket());
    // The console of Windows has a character set of its own.
    this.#isStream = process.platform === 'win32' && isTerminal(fd);
  }

  get isTTY() {
    return isTerminal(this.#fd);
  }

  get columns() {
    return this.isTTY ? this.#stream.columns : undefined;
  }

  get #stream() {
    return this.#fd === 1 ? process.stdout : process.stderr;
  }

  /** @param {string | Uint8Array} text */
  async write(text) {
    try {
      const rest = this.#writeNow(Buffer.from(text));
      if (this.#isStream) await this.#writeLater(rest);
    } catch (error) {
      // The command continues without a reader of its notes.
      if (this.#fd === 2 || !(error instanceof Error)) return;
      if (!('code' in error && gone.has(String(error.code)))) throw Object.assign(error, { isOutput: true });
      this.#outlet.onGone();
    }
  }

  /**
   * Returns what must go to the stream.
   * @param {Buffer} bytes
   */
  #writeNow(bytes) {
    if (this.isPipe) room -= bytes.length;
    this.#isStream ||= this.isPipe && room < 0;
    try {
      while (bytes.length > 0 && !this.#isStream) bytes = bytes.subarray(writeSync(this.#fd, bytes));
    } catch (error) {
      // Another program has made the descriptor non-blocking, and it is full.
      this.#isStream = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!this.#isStream) throw error;
    }
    return bytes;
  }

  /**
   * Gives up if nothing is read for a while after a signal.
   * @param {Buffer} bytes
   */
  #writeLater(bytes) {
    const stream = this.#stream;
    if (stream.listenerCount('error') === 0) stream.on('error', () => {});
    return new Promise((resolve, reject) => {
      let [unread, waited] = [stream.writableLength, 0];
      const timer = setInterval(() => {
        waited = this.#outlet.isEnding() && stream.writableLength === unread ? waited + patience / 10 : 0;
        unread = stream.writableLength;
        this.isStuck ||= waited >= patience;
        if (this.isStuck) end(new Error('nothing reads it'));
      }, patience / 10);
      const end = (/** @type {Error | null | undefined} */ error) => {
        clearInterval(timer);
        return error ? reject(error) : resolve(undefined);
      };
      for (let at = 0; at < bytes.length; at += slice) stream.write(bytes.subarray(at, at + slice));
      stream.write('', end);
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
    // Closed.
    return undefined;
  }
}

module.exports = { isTerminal, Output };
