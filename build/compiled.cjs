'use strict';

const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

/**
 * Runs a CommonJS source that has the wrapper of `require`, with the code that V8 compiled during the build. Another
 * version of V8 compiles it again.
 * @param {string} folder
 * @param {string} name
 * @param {{ exports: object }} module
 * @param {NodeJS.Require} require
 */
function run(folder, name, module, require) {
  const file = `${folder}/${name}`;
  const source = readFileSync(file);
  // The compiled code contains this name, so it must not depend on the folder of the build.
  const compiled = new Script(source.toString('latin1'), { filename: name, cachedData: compiledFrom(source, file) });
  compiled.runInThisContext().call(module.exports, module.exports, require, module, file, folder);
}

/**
 * V8 accepts any source of the same length, so the cache starts with a copy of its source. Comparing them is faster than
 * a digest, which would load node:crypto.
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
