// Builds dist: writes new files to a temporary folder and renames them into place, the entry last.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliEntry, installCli, makeCli, precompile } from './build/cli.mjs';
import { installLibrary, libraryEntry, makeLibrary } from './build/library.mjs';
import { installPage, makePage, pageEntry } from './build/page.mjs';
import { modulesOf, packagesOf, thirdPartyLicenses } from './build/licenses.mjs';

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const stampFile = join(root, 'dist/build.json');
const stamp = digest();
const previous = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : { files: [] };
const licenses = 'THIRD-PARTY-LICENSES.txt';
const isThere = existsSync(cliEntry) && existsSync(libraryEntry) && existsSync(pageEntry);

if (!process.argv.includes('--if-stale') || previous.stamp !== stamp || !isThere) await build();

async function build() {
  const temporary = join(root, `dist-${process.pid}`);
  const [cli, library, page] = ['cli', 'sandbox', 'page'].map((name) => join(temporary, name));
  try {
    const made = await Promise.allSettled([makeCli(cli, { version, stamp }), ...makeLibrary(library), makePage(page)]);
    for (const one of made) if (one.status === 'rejected') throw one.reason;
    const chunks = made.flatMap(({ value }) => value ?? []);
    writeFileSync(join(temporary, licenses), thirdPartyLicenses(modulesOf(chunks)));
    installLibrary(library);
    installPage(page);
    renameSync(join(temporary, licenses), join(root, 'dist', licenses));
    // A package must not contain chunks of the previous build.
    const files = installCli(cli, process.argv.includes('--alone') ? [] : previous.files);
    writeFileSync(stampFile, JSON.stringify({ stamp, files, packages: packagesOf(chunks) }));
    await precompile();
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** A digest of all inputs of the build. */
function digest() {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((name) => /\.(tsx?|css)$/.test(name));
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
