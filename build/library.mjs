// Builds `bizmsg/sandbox`: an ES module, a CommonJS version for Jest, and their types.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = dirname(import.meta.dirname);
const target = join(root, 'dist/sandbox');

/** In the order of installation: types before code. */
const files = ['library.d.ts', 'library.d.cts', 'library.cjs', 'library.js'];

export const libraryEntry = join(target, 'library.js');

/** Starts both builds. Wait for both before removing the folder. */
export function makeLibrary(temporary) {
  return [bundle(temporary), writeTypes(temporary)];
}

export function installLibrary(temporary) {
  mkdirSync(target, { recursive: true });
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
  const made = join(temporary, 'types');
  await promisify(execFile)(process.execPath, [tsc, '-p', join(root, 'build/tsconfig.types.json'), '--outDir', made]);
  writeFileSync(join(temporary, 'library.d.ts'), rolledUp(made, './library.ts'));
  copyFileSync(join(temporary, 'library.d.ts'), join(temporary, 'library.d.cts'));
}

/** Inlines the declarations that a file imports from its folder, before its own. Throws for imports from other folders. */
function rolledUp(dir, from, seen = new Set()) {
  if (seen.has(from)) return '';
  seen.add(from);
  if (!/^\.\/[\w-]+\.ts$/.test(from)) throw new Error(`the types of bizmsg/sandbox must not import ${from}`);
  const text = readFileSync(join(dir, from.replace(/\.ts$/, '.d.ts')), 'utf8');
  const imports = /^(?:import|export) [^;]*? from '([^']+)';\n/gm;
  const imported = [...text.matchAll(imports)].map(([, name]) => rolledUp(dir, name, seen));
  return imported.join('') + text.replaceAll(imports, '');
}
