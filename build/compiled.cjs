'use strict';

const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

/**
 * Runs CommonJS, with what `require` puts around it there already, as V8 compiled it at build; another V8 compiles it anew.
 * @param {string} folder
 * @param {string} name
 * @param {{ exports: object }} module
 * @param {NodeJS.Require} require
 */
function run(folder, name, module, require) {
  const file = `${folder}/${name}`;
  const source = readFileSync(file, 'latin1');
  // What V8 keeps holds this name, so it is the same wherever that was made.
  const compiled = new Script(source, { filename: name, cachedData: kept(`${file}.cache`) });
  compiled.runInThisContext().call(module.exports, module.exports, require, module, file, folder);
}

/** @param {string} path */
function kept(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

module.exports = { run };
