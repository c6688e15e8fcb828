// Kills its process just before the change to the disk with the number BIZMSG_KILLED_AT, and counts them.
const fs = require('node:fs');
const last = Number(process.env.BIZMSG_KILLED_AT);
const counted = process.env.BIZMSG_COUNTED;
let changes = 0;
const names = [
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
];
for (const name of names) {
  const real = Reflect.get(fs, name);
  /** @param {unknown[]} words */
  const killing = (...words) => {
    if (isChange(name, words) && ++changes === last) process.kill(process.pid, 'SIGKILL');
    return real(...words);
  };
  Reflect.set(fs, name, killing);
}
const write = fs.appendFileSync;
process.on('exit', () => counted && write(counted, String(changes)));

/**
 * @param {string} name
 * @param {unknown[]} words
 */
function isChange(name, [first, second]) {
  if (name === 'openSync' || name === 'open') return second !== undefined && second !== 'r' && second !== 0;
  return (name !== 'writeSync' && name !== 'write') || Number(first) > 2;
}
