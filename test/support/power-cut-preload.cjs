'use strict';

// Records the file operations of this process in one folder and the bytes that its sockets send, in one sequence.
// `power-cut.ts` loads it into a child process and reads the trace.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');
const { basename, dirname, join, relative, resolve } = require('node:path');
const { fileURLToPath } = require('node:url');

const { POWER_CUT_FOLDER: folder = '', POWER_CUT_TRACE: tracePath = '', POWER_CUT_BOOT: boot = '' } = process.env;
const behind = Number(process.env['POWER_CUT_BEHIND'] ?? 0);
for (const name of ['POWER_CUT_FOLDER', 'POWER_CUT_TRACE', 'POWER_CUT_BOOT', 'POWER_CUT_BEHIND'])
  delete process.env[name];

const { now } = Date;
Date.now = () => now() - behind;

/** @typedef {(...words: unknown[]) => unknown} Call */
/** @typedef {(path: unknown, flags?: unknown, mode?: unknown) => unknown} OnPath */
/**
 * `before` runs before the call. `after` runs once the call has succeeded, and gets what `before` returned.
 * @typedef {{ before?: (words: unknown[]) => unknown, after?: (words: unknown[], result: unknown, begun: unknown) => void }} Recorder
 */

const original = { ...fs };
const trace = original.openSync(tracePath, 'a');
/**
 * Open descriptors of the folder and what is in it.
 * @type {Set<unknown>}
 */
const tracked = new Set();
let syncs = 0;
/** @type {WeakMap<object, number>} */
const sockets = new WeakMap();
let socketCount = 0;

/** @type {Readonly<Record<string, Recorder>>} */
const recorders = {
  open: {
    after([path, flags], fd) {
      if (!isInside(path)) return;
      tracked.add(fd);
      const mode = original.fstatSync(Number(fd)).mode & 0o7777;
      log({ do: 'open', fd, path: inside(path), creates: creates(flags), truncates: truncates(flags), mode });
    },
  },
  close: {
    before([fd]) {
      if (tracked.delete(fd)) log({ do: 'close', fd });
    },
  },
  write: {
    after([fd, data, ...rest], count) {
      if (!tracked.has(fd) || count === 0) return;
      const { bytes, at = positionOf(fd) - Number(count) } = written(data, rest);
      log({ do: 'write', fd, at, bytes: bytes.subarray(0, Number(count)).toString('base64') });
    },
  },
  ftruncate: {
    after([fd, size]) {
      if (tracked.has(fd)) log({ do: 'truncate', fd, size: Number(size ?? 0) });
    },
  },
  fsync: syncing(),
  fdatasync: syncing(),
  rename: moving('rename'),
  link: moving('link'),
  unlink: removing('unlink'),
  rmdir: removing('rmdir'),
  mkdir: {
    after([path, options]) {
      if (!isInside(path)) return;
      const mode = original.statSync(path).mode & 0o7777;
      log({ do: 'mkdir', path: inside(path), recursive: optionsIn(options)['recursive'] === true, mode });
    },
  },
  chmod: {
    after([path, mode]) {
      if (isInside(path)) log({ do: 'chmod', path: inside(path), mode: Number(mode) });
    },
  },
};

/** Calls that are not recorded. In the folder they throw, so that the trace has no gaps. */
const refused = ['writev', 'truncate', 'copyFile', 'cp', 'symlink', 'mkdtemp'];
const composed = ['rm', 'writeFile', 'appendFile'];

for (const [name, recorder] of Object.entries(recorders)) {
  replace(fs, `${name}Sync`, (call) => recordedSync(call, recorder));
  replace(fs, name, (call) => recordedCallback(call, recorder));
}
for (const name of [...refused, ...refused.map((name) => `${name}Sync`), ...composed])
  replace(fs, name, (call) => refusing(call, `fs.${name}`));
for (const name of [...refused, ...composed, 'rename', 'link', 'unlink', 'rmdir', 'mkdir'])
  if (name !== 'writev') replace(fs.promises, name, (call) => refusing(call, `fs.promises.${name}`));
replace(fs.promises, 'open', (call) => (path, flags, ...rest) => {
  if (isInside(path) && isForWriting(flags)) throw unrecorded('fs.promises.open for writing');
  return call(path, flags, ...rest);
});
// Made of recorded calls here, because how Node implements them depends on its version.
replace(fs, 'writeFileSync', (call) => (target, data, options) => {
  return isOurs(target) ? writeWhole(target, data, 'w', optionsIn(options)) : call(target, data, options);
});
replace(fs, 'appendFileSync', (call) => (target, data, options) => {
  return isOurs(target) ? writeWhole(target, data, 'a', optionsIn(options)) : call(target, data, options);
});
replace(fs, 'rmSync', (call) => (path, options) => {
  return isInside(path) ? remove(path, optionsIn(options)) : call(path, options);
});
replace(fs, 'readFileSync', (call) => (path, options) => {
  if (path !== '/proc/sys/kernel/random/boot_id') return call(path, options);
  return options ? `${boot}\n` : Buffer.from(`${boot}\n`);
});
syncBuiltinESMExports();

replace(
  net.Socket.prototype,
  'write',
  (call) =>
    /** @this {net.Socket} */
    function write(data, encoding, ...rest) {
      const socket = sockets.get(this) ?? ++socketCount;
      sockets.set(this, socket);
      log({ do: 'send', socket, bytes: bytesOf(data, encoding).toString('base64') });
      return call.call(this, data, encoding, ...rest);
    },
);

/**
 * @param {object} owner
 * @param {string} name
 * @param {(call: Call) => Call} change
 */
function replace(owner, name, change) {
  const call = Reflect.get(owner, name);
  const changed = change(call);
  // util.promisify() uses them.
  for (const key of Object.getOwnPropertySymbols(call)) Reflect.set(changed, key, Reflect.get(call, key));
  Reflect.set(owner, name, changed);
}

/**
 * @param {Call} call
 * @param {Recorder} recorder
 * @returns {Call}
 */
function recordedSync(call, { before, after }) {
  return (...words) => {
    const begun = before?.(words);
    const result = call(...words);
    after?.(words, result, begun);
    return result;
  };
}

/**
 * @param {Call} call
 * @param {Recorder} recorder
 * @returns {Call}
 */
function recordedCallback(call, { before, after }) {
  return (...all) => {
    const [words, callback] = [all.slice(0, -1), all.at(-1)];
    if (typeof callback !== 'function') return call(...all);
    const begun = before?.(words);
    return call(...words, (/** @type {unknown[]} */ ...results) => {
      if (!results[0]) after?.(words, results[1], begun);
      callback(...results);
    });
  };
}

/**
 * @param {Call} call
 * @param {string} name
 * @returns {Call}
 */
function refusing(call, name) {
  return (...words) => {
    if (words.slice(0, 2).some(isOurs)) throw unrecorded(name);
    return call(...words);
  };
}

/** @param {string} name */
function unrecorded(name) {
  return new Error(`test/support/power-cut-preload.cjs does not record ${name}`);
}

/**
 * Two operations, because a sync may miss what is written while it runs.
 * @returns {Recorder}
 */
function syncing() {
  return {
    before([fd]) {
      if (!tracked.has(fd)) return undefined;
      syncs += 1;
      log({ do: 'sync', fd, number: syncs });
      return syncs;
    },
    after(_words, _result, number) {
      if (number !== undefined) log({ do: 'synced', number });
    },
  };
}

/**
 * @param {'rename' | 'link'} what
 * @returns {Recorder}
 */
function moving(what) {
  return {
    before([from, to]) {
      if (isInside(from) !== isInside(to)) throw unrecorded(`${what} into or out of the folder`);
    },
    after([from, to]) {
      if (isInside(from) && isInside(to)) log({ do: what, from: inside(from), to: inside(to) });
    },
  };
}

/**
 * @param {'unlink' | 'rmdir'} what
 * @returns {Recorder}
 */
function removing(what) {
  return {
    after([path]) {
      if (isInside(path)) log({ do: what, path: inside(path) });
    },
  };
}

/**
 * @param {unknown} target
 * @param {unknown} data
 * @param {'a' | 'w'} usual
 * @param {Readonly<Record<string, unknown>>} options
 */
function writeWhole(target, data, usual, { encoding, flag, mode, flush }) {
  const bytes = bytesOf(data, encoding);
  const opened = isInside(target)
    ? fs.openSync(target, typeof flag === 'string' ? flag : usual, Number(mode ?? 0o666))
    : undefined;
  const fd = opened ?? Number(target);
  try {
    for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
    if (flush === true) fs.fsyncSync(fd);
  } finally {
    if (opened !== undefined) fs.closeSync(opened);
  }
}

/**
 * @param {string | Buffer | URL} path
 * @param {Readonly<Record<string, unknown>>} options
 */
function remove(path, options) {
  const found = original.lstatSync(path, { throwIfNoEntry: false });
  if (!found && options['force'] === true) return;
  if (!found?.isDirectory() || options['recursive'] !== true) return fs.unlinkSync(path);
  for (const name of original.readdirSync(path)) remove(join(String(path), name), options);
  fs.rmdirSync(path);
}

/**
 * @param {unknown} options
 * @returns {Readonly<Record<string, unknown>>}
 */
function optionsIn(options) {
  return typeof options === 'object' && options !== null ? { ...options } : { encoding: options };
}

/**
 * Parses the arguments of fs.write that follow the descriptor.
 * @param {unknown} data
 * @param {unknown[]} rest
 */
function written(data, [first, second, third]) {
  if (typeof data === 'string') return { bytes: bytesOf(data, second), at: offsetIn(first) };
  const given = typeof first === 'object' && first !== null ? optionsIn(first) : { offset: first, position: third };
  return { bytes: bytesOf(data).subarray(Number(given['offset'] ?? 0)), at: offsetIn(given['position']) };
}

/** @param {unknown} at */
function offsetIn(at) {
  return typeof at === 'number' || typeof at === 'bigint' ? Number(at) : undefined;
}

/**
 * @param {unknown} data
 * @param {unknown} [encoding]
 */
function bytesOf(data, encoding) {
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return Buffer.from(String(data), typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8');
}

/**
 * The offset of a write without a position.
 * @param {unknown} fd
 */
function positionOf(fd) {
  return Number(/^pos:\t(\d+)/.exec(original.readFileSync(`/proc/self/fdinfo/${Number(fd)}`, 'utf8'))?.[1]);
}

/** @param {unknown} flags */
function creates(flags) {
  return typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : /^[wa]/.test(String(flags));
}

/** @param {unknown} flags */
function truncates(flags) {
  return typeof flags === 'number' ? (flags & fs.constants.O_TRUNC) !== 0 : String(flags).startsWith('w');
}

/** @param {unknown} flags */
function isForWriting(flags) {
  const writing = fs.constants.O_WRONLY | fs.constants.O_RDWR;
  return typeof flags === 'number' ? (flags & writing) !== 0 : /^[wa]|\+/.test(String(flags));
}

/** @param {unknown} target */
function isOurs(target) {
  return tracked.has(target) || isInside(target);
}

/**
 * @param {unknown} path
 * @returns {path is string | Buffer | URL}
 */
function isInside(path) {
  if (typeof path !== 'string' && !Buffer.isBuffer(path) && !(path instanceof URL)) return false;
  return !/^\.\.(\/|$)/.test(inside(path));
}

/**
 * The path relative to the folder; empty for the folder itself.
 * @param {string | Buffer | URL} path
 */
function inside(path) {
  const absolute = resolve(path instanceof URL ? fileURLToPath(path) : String(path));
  return relative(folder, absolute === folder ? folder : join(realFolder(dirname(absolute)), basename(absolute)));
}

/** @param {string} path */
function realFolder(path) {
  try {
    return original.realpathSync(path);
  } catch {
    return path;
  }
}

/** @param {object} operation */
function log(operation) {
  original.writeSync(trace, `${JSON.stringify(operation)}\n`);
}
