'use strict';

module.exports = { loadSqlite };

/** Loads Node's SQLite, or on Node 20 the optional dependency with the same API; undefined without it. */
function loadSqlite() {
  if (!process.listeners('SIGTSTP').includes(stop)) stopBetweenTransactions();
  const { emitWarning } = process;
  // Without the warning of Node 22 that SQLite is experimental.
  process.emitWarning = () => {};
  try {
    const builtIn = process.getBuiltinModule('node:sqlite');
    return isSqlite(builtIn) ? builtIn : require('@photostructure/sqlite');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
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

/** A stopped process must not hold a lock, and the default action of Ctrl-Z can stop it in the middle of a commit. */
function stopBetweenTransactions() {
  process.on('SIGTSTP', stop);
}

/** Stops with the default action, which ignores Ctrl-Z if no shell could continue the process. */
function stop() {
  process.off('SIGTSTP', stop);
  process.once('SIGCONT', stopBetweenTransactions);
  process.kill(process.pid, 'SIGTSTP');
}
