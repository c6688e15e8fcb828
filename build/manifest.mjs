// npm packs a package.json without what only a clone needs: `lean` before it packs, `whole` after.
// npm runs no `prepare` of a tarball, and still warns whoever installs one that has it.
import { existsSync, copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const manifest = join(dirname(import.meta.dirname), 'package.json');
// By this name npm never packs it.
const whole = `${manifest}.orig`;

// A pack that was killed has left it.
if (existsSync(whole)) renameSync(whole, manifest);
if (process.argv[2] === 'lean') {
  const lean = { ...JSON.parse(readFileSync(manifest, 'utf8')), scripts: undefined, devDependencies: undefined };
  copyFileSync(manifest, whole);
  writeFileSync(manifest, `${JSON.stringify(lean, null, 2)}\n`);
}
