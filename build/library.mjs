// Builds `bizmsg/sandbox`: an ES module, a CommonJS version for Jest, and their types.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist/sandbox');

/** In the order of installation: types before code. */
const files = ['types', 'library.cjs', 'library.js'];

export const libraryEntry = join(target, 'library.js');

/** Starts both builds. Wait for both before removing the folder. */
export function makeLibrary(temporary) {
  return [bundle(temporary), writeTypes(temporary)];
}

export function installLibrary(temporary) {
  mkdirSync(target, { recursive: true });
  rmSync(join(target, 'types'), { recursive: true, force: true });
  for (const file of files) renameSync(join(temporary, file), join(target, file));
}

async function bundle(temporary) {
  const { rolldown } = await import('rolldown');
  const made = await rolldown({ input: join(root, 'src/sandbox/library/library.ts'), platform: 'node' });
  const written = [
    await made.write({ dir: temporary, format: 'esm', entryFileNames: '[name].js', codeSplitting: false }),
    await made.write({ dir: temporary, format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false }),
  ];
  await made.close();
  return written.flatMap(({ output }) => output);
}

async function writeTypes(temporary) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
  const made = join(temporary, 'made');
  await promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'build/tsconfig.types.json'), '--outDir', made]);
  copyTypes('sandbox/library/library.d.ts', made, join(temporary, 'types'));
}

/** Copies a declaration and what it imports, for both kinds of modules. */
function copyTypes(file, from, to, seen = new Set()) {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(join(from, file), 'utf8');
  mkdirSync(join(to, dirname(file)), { recursive: true });
  for (const kind of ['ts', 'cts']) {
    const renamed = text.replaceAll(imports, (_, quote, path) => `${quote}${path}.${kind.replace('t', 'j')}${quote}`);
    writeFileSync(join(to, file.replace(/ts$/, kind)), renamed);
  }
  for (const [, , path] of text.matchAll(imports)) copyTypes(join(dirname(file), `${path}.d.ts`), from, to, seen);
}

const imports = /(['"])(\.{1,2}\/[^'"]+)\.ts\1/g;
