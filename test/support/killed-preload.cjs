'use strict';

// Counts the process's changes to the disk, and kills it before the one with the number BIZMSG_KILLED_AT. If BIZMSG_FULL
// is set, writes fail from there on instead, as on a full disk.
const fs = require('node:fs');

const { BIZMSG_KILLED_AT: last = '', BIZMSG_COUNTED: counted = '', BIZMSG_FULL: full } = process.env;
const { appendFileSync } = fs;
const names = new Set([
  'openSync',
  'writeSync',
  'writeFileSync',
  'linkSync',
  'renameSync',
  'rmSync',
  'ftruncateSync',
  'mkdirSync',
  'fsyncSync',
  'fdatasyncSync',
  'open',
  'write',
  'fdatasync',
]);
let changes = 0;

/** @type {any} */
const all = fs;
for (const name of names) all[name] = counting(name, all[name]);
process.on('exit', () => {
  if (counted !== '') appendFileSync(counted, String(changes));
});

/** @type {(name: string, real: (...words: unknown[]) => unknown) => (...words: unknown[]) => unknown} */
function counting(name, real) {
  return (...words) => {
    if (!isChange(name, words) || ++changes < Number(last) || Number(last) === 0) return real(...words);
    if (full === undefined && changes === Number(last)) process.kill(process.pid, 'SIGKILL');
    if (full === undefined || !/write/i.test(name)) return real(...words);
    const fault = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', errno: -28, syscall: 'write' });
    const callback = words.at(-1);
    if (typeof callback !== 'function') throw fault;
    return process.nextTick(callback, fault);
  };
}

/** @type {(name: string, words: unknown[]) => boolean} */
function isChange(name, [first, second]) {
  if (name === 'openSync' || name === 'open') return second !== undefined && second !== 'r' && second !== 0;
  return (name !== 'writeSync' && name !== 'write') || Number(first) > 2;
}
