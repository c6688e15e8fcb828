// Creates files of contacts.
import { appendFileSync, writeFileSync } from 'node:fs';
import { newPath } from '../rig/processes.mjs';

const written = new Map();

/** A CSV file with this number of rows. */
export function csv(count) {
  return once('csv', count, 'phone,name,city\n', (n) => {
    const { phone, name, city } = contact(n);
    return `${phone},${name},${city}\n`;
  });
}

/** The request bodies of the same rows, one per line. */
export function bodies(count) {
  return once('ndjson', count, '', (n) => `${JSON.stringify(contact(n))}\n`);
}

export function contact(n) {
  return { phone: `+1${2_000_000_000 + n}`, name: `Grace Hopper ${n}`, city: 'Arlington' };
}

function once(kind, count, head, lineOf) {
  const key = `${count}.${kind}`;
  if (!written.has(key)) written.set(key, write(newPath(key), count, head, lineOf));
  return written.get(key);
}

function write(path, count, head, lineOf) {
  writeFileSync(path, head);
  for (let from = 0; from < count; from += 10_000) {
    const some = Math.min(10_000, count - from);
    appendFileSync(path, Array.from({ length: some }, (_, n) => lineOf(from + n)).join(''));
  }
  return path;
}
