// Builds dist. What is new is made aside and renamed into place, the entry last.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliEntry, installCli, makeCli, precompile } from './build/cli.mjs';
import { installLibrary, libraryEntry, makeLibrary } from './build/library.mjs';
import { modulesOf, packagesOf, thirdPartyLicences } from './build/licences.mjs';

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const stampFile = join(root, 'dist/build.json');
const stamp = digest();
const before = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : { files: [] };
const licences = 'THIRD-PARTY-LICENSES.txt';
const isThere = existsSync(cliEntry) && existsSync(libraryEntry);

if (!process.argv.includes('--if-stale') || before.stamp !== stamp || !isThere) await build();

async function build() {
  const aside = join(root, `dist-${process.pid}`);
  const [cli, library] = [join(aside, 'cli'), join(aside, 'sandbox')];
  try {
    const made = await Promise.allSettled([makeCli(cli, { version, stamp }), ...makeLibrary(library)]);
    for (const one of made) if (one.status === 'rejected') throw one.reason;
    const chunks = made.flatMap(({ value }) => value ?? []);
    writeFileSync(join(aside, licences), thirdPartyLicences(modulesOf(chunks)));
    installLibrary(library);
    renameSync(join(aside, licences), join(root, 'dist', licences));
    // What is packed has nothing of the build before.
    const files = installCli(cli, process.argv.includes('--alone') ? [] : before.files);
    writeFileSync(stampFile, JSON.stringify({ stamp, files, packages: packagesOf(chunks) }));
    await precompile();
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** What the build is made from, as one number. */
function digest() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((name) => name.endsWith('.ts'));
  const files = [
    ...sources.map((name) => join('src', name)).sort(),
    'build.mjs',
    ...readdirSync(join(root, 'build')).map((name) => join('build', name)),
    'tsconfig.json',
    'package.json',
    'package-lock.json',
  ];
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}
