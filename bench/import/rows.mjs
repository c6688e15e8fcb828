// Creates files of contacts.
import { appendFileSync, writeFileSync } from 'node:fs';
import { newPath } from '../rig/processes.mjs';

const written = new Map();

/** A CSV file with this number of rows. */
export function csv(count) {
  if (!written.has(count)) written.set(count, write(newPath(`${count}.csv`), count));
  return written.get(count);
}

export function contact(n) {
  return { phone: `+1${2_000_000_000 + n}`, name: `Grace Hopper ${n}`, city: 'Arlington' };
}

function write(path, count) {
  writeFileSync(path, 'phone,name,city\n');
  for (let from = 0; from < count; from += 10_000) {
    const some = Math.min(10_000, count - from);
    appendFileSync(path, Array.from({ length: some }, (_, n) => lineOf(contact(from + n))).join(''));
  }
  return path;
}

function lineOf({ phone, name, city }) {
  return `${phone},${name},${city}\n`;
}
