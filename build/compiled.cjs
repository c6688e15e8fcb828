'use strict';

const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

/**
 * Runs a CommonJS source that already has the wrapper of `require`, with the code that V8 compiled at build. A V8 of
 * another version compiles it again.
 * @param {string} folder
 * @param {string} name
 * @param {{ exports: object }} module
 * @param {NodeJS.Require} require
 */
function run(folder, name, module, require) {
  const file = `${folder}/${name}`;
  const source = readFileSync(file);
  // The compiled code holds this name, so it must not depend on where the program was built.
  const compiled = new Script(source.toString('latin1'), { filename: name, cachedData: compiledFrom(source, file) });
  compiled.runInThisContext().call(module.exports, module.exports, require, module, file, folder);
}

/**
 * V8 takes any source of the same length for the one that it compiled, so the cache begins with a copy of its source. To
 * compare them costs less than a digest, which would have to load node:crypto first.
 * @param {Buffer} source
 * @param {string} file
 */
function compiledFrom(source, file) {
  try {
    const cache = readFileSync(`${file}.cache`);
    const end = source.length;
    return source.equals(cache.subarray(0, end)) ? cache.subarray(end) : undefined;
  } catch {
    return undefined;
  }
}

module.exports = { run };
