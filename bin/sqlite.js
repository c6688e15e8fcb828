'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');

module.exports = { loadSqlite };

/** Loads Node's SQLite; on Node 20 the package with the same API, if it is installed. */
function loadSqlite() {
  stopBetweenTransactions();
  return builtIn() ?? installed();
}

/** Without the warning of Node 22 that SQLite is experimental. */
function builtIn() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    const loaded = process.getBuiltinModule('node:sqlite');
    return isSqlite(loaded) ? loaded : undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * The types of Node 20 do not have it.
 * @param {object | undefined} loaded
 * @returns {loaded is import('../src/base/host.ts').Sqlite}
 */
function isSqlite(loaded) {
  return loaded !== undefined && 'DatabaseSync' in loaded;
}

function installed() {
  try {
    return prebuilt() ?? require('@photostructure/sqlite');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The library in the package, which itself takes 4 ms to find it, and adds only what is not used here. */
function prebuilt() {
  const libc = existsSync('/etc/alpine-release') ? 'musl' : 'glibc';
  const folder = `@photostructure/sqlite/prebuilds/${process.platform}-${process.arch}`;
  const name = join(folder, `@photostructure+sqlite.${libc}.node`);
  const library = (require.resolve.paths(name) ?? []).map((path) => join(path, name)).find((path) => existsSync(path));
  try {
    return library === undefined ? undefined : require(library);
  } catch {
    // It does not fit this system, but the package may have been compiled here.
    return undefined;
  }
}

/** A stopped process must not hold a lock, and the default action of Ctrl-Z can stop it in the middle of a commit. */
function stopBetweenTransactions() {
  if (process.listeners('SIGTSTP').includes(stop)) return;
  process.on('SIGTSTP', stop);
}

/** Stops with the default action, which ignores Ctrl-Z if no shell could continue the process. */
function stop() {
  process.off('SIGTSTP', stop);
  process.once('SIGCONT', stopBetweenTransactions);
  process.kill(process.pid, 'SIGTSTP');
}
