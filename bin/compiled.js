'use strict';

const { readFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

/**
 * CommonJS as V8 compiled it at build; another V8 compiles it anew.
 * @param {string} source
 * @param {string} file
 */
function script(source, file) {
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`;
  return new Script(wrapped, { filename: file, cachedData: kept(`${file}.cache`) });
}

/**
 * Runs it as `require` would have.
 * @param {string} file
 * @param {{ exports: object }} module
 * @param {NodeJS.Require} require
 */
function run(file, module, require) {
  const compiled = script(readFileSync(file, 'utf8'), file);
  compiled.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file));
}

/** @param {string} path */
function kept(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

module.exports = { run, script };
