// Removes what only a clone needs from package.json before npm packs (`lean`), and restores it after (`whole`).
// npm does not run `prepare` of a tarball, but warns about it on installation.
import { existsSync, copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const manifest = join(dirname(import.meta.dirname), 'package.json');
// npm never packs a file with this name.
const whole = `${manifest}.orig`;

// May be left by a pack that was killed.
if (existsSync(whole)) renameSync(whole, manifest);
if (process.argv[2] === 'lean') {
  const ofClone = { scripts: undefined, devDependencies: undefined, allowScripts: undefined };
  const lean = { ...JSON.parse(readFileSync(manifest, 'utf8')), ...ofClone };
  copyFileSync(manifest, whole);
  writeFileSync(manifest, `${JSON.stringify(lean, null, 2)}\n`);
}
