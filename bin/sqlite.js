'use strict';

module.exports = { loadSqlite };

/**
 * Loads Node's SQLite, or on Node 20 the optional dependency with the same API; undefined if it is missing or has no
 * build for this system.
 */
function loadSqlite() {
  if (!process.listeners('SIGTSTP').includes(stop)) process.on('SIGTSTP', stop);
  const { emitWarning } = process;
  // Without the warning of Node 22 that SQLite is experimental.
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite') ?? require('@photostructure/sqlite');
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * A stopped process must not hold a lock, and Ctrl-Z could stop it in the middle of a commit: this runs between two. The
 * default action ignores Ctrl-Z if no shell could continue the process.
 */
function stop() {
  process.off('SIGTSTP', stop);
  process.once('SIGCONT', () => process.on('SIGTSTP', stop));
  process.kill(process.pid, 'SIGTSTP');
}
