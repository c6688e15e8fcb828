// Builds dist: writes new files to a temporary folder and renames them into place, the entry last.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliEntry, installCli, makeCli } from './build/cli.mjs';
import { digestOf } from './build/inputs.mjs';
import { installLibrary, libraryEntry, makeLibrary } from './build/library.mjs';
import { installPage, makePage, pageEntry } from './build/page.mjs';
import { packagesOf, thirdPartyLicenses } from './build/licenses.mjs';

const root = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const stampFile = join(root, 'dist/build.json');
const stamp = digestOf(root);
const previous = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : { files: [] };
const licenses = 'THIRD-PARTY-LICENSES.txt';
const isThere = existsSync(cliEntry) && existsSync(libraryEntry) && existsSync(pageEntry);

if (!process.argv.includes('--if-stale') || previous.stamp !== stamp || !isThere) await build();

async function build() {
  const temporary = join(root, `dist-${process.pid}`);
  const [cli, library, page] = ['cli', 'sandbox', 'page'].map((name) => join(temporary, name));
  try {
    const made = await Promise.allSettled([makeCli(cli, { version, stamp }), ...makeLibrary(library), makePage(page)]);
    for (const { status, reason } of made) if (status === 'rejected') throw reason;
    const chunks = made.flatMap(({ value }) => value ?? []);
    writeFileSync(join(temporary, licenses), thirdPartyLicenses(chunks));
    installLibrary(library);
    installPage(page);
    renameSync(join(temporary, licenses), join(root, 'dist', licenses));
    // A package must not contain chunks of the previous build.
    const files = installCli(cli, process.argv.includes('--alone') ? [] : previous.files);
    writeFileSync(stampFile, JSON.stringify({ stamp, files, packages: packagesOf(chunks) }));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
