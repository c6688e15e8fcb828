// Tests the package, and end-to-end parts of the suite, on the other supported versions of Node.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { journeys } from './journeys.mjs';

const versions = ['22.23.3', '24.21.0', '26.10.0'];
const tests = ['test/package/journey', 'test/client', 'test/sandbox/library', 'test/base/sqlite', ...journeys];

const root = dirname(import.meta.dirname);
const results = join(root, 'node_modules/.vitest');
const folder = mkdtempSync(join(tmpdir(), 'bizmsg-nodes-'));
try {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  const tarball = join(folder, packed.toString().trim());
  const failed = versions.filter((version) => !test(version, tarball));
  if (failed.length > 0) throw new Error(`failed on Node ${failed.join(', ')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function test(version, tarball) {
  console.log(`\n== Node ${version}`);
  const { node, why } = install(version);
  if (node === undefined) return skip(version, why);
  // A retry separates failures of this version from time-outs on a busy machine.
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const path = `${dirname(node)}${delimiter}${process.env['PATH']}`;
  const env = { ...process.env, PATH: path, TARBALL: tarball };
  const argv = [vitest, 'run', '--config', 'vitest.package.config.ts', '--retry', '1', ...tests];
  return spawnSync(node, argv, { cwd: root, env, stdio: 'inherit' }).status === 0;
}

/** Installs a version of Node, which npm has as a package. */
function install(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(root, 'node_modules/.nodes', version);
  mkdirSync(prefix, { recursive: true });
  const flags = ['--prefix', prefix, '--no-save', '--ignore-scripts', '--no-audit', '--loglevel', 'error'];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: prefix });
  if (status === 0) return { node: join(prefix, 'node_modules', name, 'bin/node') };
  const code = /^npm error code (\S+)/m.exec(stderr)?.[1] ?? 'npm cannot be run';
  return { why: `${name}@${version} cannot be installed: ${code}` };
}

/** Reports a version that cannot be installed, and counts it as skipped. */
function skip(version, why) {
  console.log(`skipped: ${why}`);
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, `package-${version}.json`), JSON.stringify({ numPendingTests: 1 }));
  return true;
}
