'use strict';

const {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { homedir } = require('node:os');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

// The build replaces these.
const [builtWith, build] = ['__BUILT_WITH__', '__BUILD__'];

/**
 * Runs a CommonJS source that has the wrapper of `require`, with the code that V8 compiled during the build. For another
 * version of V8, each user has a folder with the code that it compiled at the first run of a command.
 * @param {string} folder
 * @param {string} name
 * @param {{ exports: object }} module
 * @param {NodeJS.Require} require
 */
function run(folder, name, module, require) {
  const source = readFileSync(`${folder}/${name}`);
  const own = engine() === builtWith ? undefined : ownFolder();
  const cache = `${own ?? folder}/${name}.cache`;
  // The compiled code contains this name, so it must not depend on the folder of the build.
  const script = new Script(source.toString('latin1'), { filename: name, cachedData: compiledFrom(source, cache) });
  // A mistyped command may be anything, so its name is not kept.
  if (own) process.once('exit', (exit) => exit !== 2 && keep(source, script, cache));
  script.runInThisContext().call(module.exports, module.exports, require, module, `${folder}/${name}`, folder);
}

/**
 * V8 accepts any source of the same length, so the cache starts with a copy of its source. Comparing them is faster than
 * a digest, which would load node:crypto.
 * @param {Buffer} source
 * @param {string} cache
 */
function compiledFrom(source, cache) {
  try {
    const kept = readFileSync(cache);
    const end = source.length;
    return source.equals(kept.subarray(0, end)) ? kept.subarray(end) : undefined;
  } catch {
    return undefined;
  }
}

function engine() {
  return `${process.versions.v8.replace(/-node.*/, '')} ${process.arch}`;
}

/** The folder of this user for this V8 and build; undefined if other users can change it, or if it cannot be created. */
function ownFolder() {
  try {
    const caches = cacheFolder();
    const all = `${caches}/bizmsg/code`;
    const folder = `${all}/${engine().replace(' ', '-')}-${build}`;
    const isNew = !existsSync(folder);
    // With sudo, the folder would belong to root, and the user's programs could not use it.
    if (!existsSync(caches) && !isShareable(statSync(dirname(caches)))) return undefined;
    // Node's recursive mkdir never returns below /proc, and a missing home is not created.
    for (const path of [caches, `${caches}/bizmsg`, all, folder]) {
      if (isNew && !existsSync(path)) mkdirSync(path, { mode: 0o700 });
      if (!(path === caches ? isShareable(statSync(path)) : isOwn(lstatSync(path)))) return undefined;
    }
    if (isNew) sweep(all);
    return folder;
  } catch {
    return undefined;
  }
}

/**
 * A link would lead to another folder, which `sweep` would empty.
 * @param {import('node:fs').Stats} found
 */
function isOwn(found) {
  if (!found.isDirectory()) return false;
  return process.platform === 'win32' || (found.uid === process.geteuid?.() && (found.mode & 0o22) === 0);
}

/**
 * Whether no other user can rename what this user has in the folder, as in /tmp. A group with the number of the user is
 * the user's own on most Linux systems.
 * @param {import('node:fs').Stats} found
 */
function isShareable({ uid, gid, mode }) {
  if (process.platform === 'win32') return true;
  const me = process.geteuid?.();
  const others = uid === me && gid === me ? 0o2 : 0o22;
  return (uid === me || uid === 0) && ((mode & others) === 0 || (mode & 0o1000) !== 0);
}

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME?.startsWith('/')) return XDG_CACHE_HOME;
  if (process.platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA;
  return `${homedir()}/${process.platform === 'darwin' ? 'Library/Caches' : '.cache'}`;
}

const week = 604_800_000;

/**
 * Removes the folders of other builds that have not changed for a week.
 * @param {string} all
 */
function sweep(all) {
  for (const name of readdirSync(all))
    if (
      /^[\d.]+-\w+-\w+$/.test(name) &&
      !name.endsWith(build) &&
      lstatSync(`${all}/${name}`).mtimeMs < Date.now() - week
    )
      rmSync(`${all}/${name}`, { recursive: true });
}

/**
 * Keeps the compiled code, once for each command: each adds its functions.
 * @param {Buffer} source
 * @param {Script} script
 * @param {string} cache
 */
function keep(source, script, cache) {
  const [word = ''] = /^[a-z]+(-[a-z]+)?$/.exec(process.argv[2] ?? '') ?? [];
  const [mark, unfinished] = [`${cache}.${word}`, `${cache}.${process.pid}`];
  try {
    if (lstatSync(mark, { throwIfNoEntry: false })) return;
    writeFileSync(unfinished, Buffer.concat([source, script.createCachedData()]), { mode: 0o600 });
    renameSync(unfinished, cache);
    writeFileSync(mark, '', { mode: 0o600 });
  } catch {
    // The next process compiles it again.
  }
}

module.exports = { run };
