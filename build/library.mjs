// Builds what `bizmsg/sandbox` gives: an ES module, the same for Jest, which can require none, and their types.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist/sandbox');

/** The code comes last: what is there whole has its types. */
const files = ['library.d.ts', 'library.d.cts', 'library.cjs', 'library.js'];

export const libraryEntry = join(target, 'library.js');

/** Both at once; who waits for one waits for the other too, or it would write where all has been removed. */
export function makeLibrary(aside) {
  return [bundle(aside), writeTypes(aside)];
}

export function installLibrary(aside) {
  mkdirSync(target, { recursive: true });
  for (const file of files) renameSync(join(aside, file), join(target, file));
}

async function bundle(aside) {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({ input: join(root, 'src/sandbox/library/library.ts'), platform: 'node' });
  const written = [
    await made.write({ dir: aside, format: 'esm', entryFileNames: '[name].js', codeSplitting: false }),
    await made.write({ dir: aside, format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false }),
  ];
  await made.close();
  return written.flatMap(({ output }) => output);
}

async function writeTypes(aside) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const made = join(aside, 'types');
  await promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'build/tsconfig.types.json'), '--outDir', made]);
  writeFileSync(join(aside, 'library.d.ts'), rolledUp(made, './library.ts'));
  copyFileSync(join(aside, 'library.d.ts'), join(aside, 'library.d.cts'));
}

/** All that a file exports, and what it takes from its neighbours before it. Nothing from further away may be in it. */
function rolledUp(dir, from, seen = new Set()) {
  if (seen.has(from)) return '';
  seen.add(from);
  if (!/^\.\/[\w-]+\.ts$/.test(from)) throw new Error(`the types of bizmsg/sandbox would need ${from}`);
  const text = readFileSync(join(dir, from.replace(/\.ts$/, '.d.ts')), 'utf8');
  const neighbours = /^(?:import|export) [^;]*? from '([^']+)';\n/gm;
  const before = [...text.matchAll(neighbours)].map(([, neighbour]) => rolledUp(dir, neighbour, seen));
  return before.join('') + text.replaceAll(neighbours, '');
}
