// Installs the package with each of the other supported versions of Node, and uses it there.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const major = (version) => version.split('.')[0];
const versions = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'].filter(
  (version) => major(version) !== major(process.versions.node),
);
const root = dirname(import.meta.dirname);
const folder = mkdtempSync(join(tmpdir(), 'bizmsg-nodes-'));
try {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  const failed = versions.filter((version) => !test(version, join(folder, packed.toString().trim())));
  if (failed.length > 0) throw new Error(`failed on Node ${failed.join(', ')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function test(version, tarball) {
  console.log(`\n== Node ${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(root, 'node_modules/.nodes', version);
  mkdirSync(prefix, { recursive: true });
  const flags = ['--prefix', prefix, '--no-save', '--ignore-scripts', '--no-audit', '--loglevel', 'error'];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: prefix });
  if (status !== 0) return skip(version, `${name}@${version} cannot be installed: ${String(stderr)}`);
  const bin = join(prefix, 'node_modules', name, 'bin');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}`, TARBALL: tarball };
  const words = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'vitest.package.config.ts',
    'test/package/journey',
  ];
  return spawnSync(join(bin, 'node'), words, { cwd: root, env, stdio: 'inherit' }).status === 0;
}

/** Counts a version that cannot be installed as skipped. */
function skip(version, why) {
  console.log(`skipped: ${why}`);
  mkdirSync(join(root, 'node_modules/.vitest'), { recursive: true });
  writeFileSync(join(root, `node_modules/.vitest/package-${version}.json`), '{ "numPendingTests": 1 }');
  return true;
}
