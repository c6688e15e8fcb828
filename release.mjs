// Prepares a release: `npm run release -- minor`, or a full version. With --dry-run, keeps only the packed file.
// Works in a temporary work tree, so that a failure leaves nothing behind. Pushing the tag publishes the release.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true });
const [wanted = '', ...more] = positionals;

try {
  check(
    /^(major|minor|patch|\d+\.\d+\.\d+)$/.test(wanted) && more.length === 0,
    'pass patch, minor, major or a version',
  );
  check(git('branch', '--show-current') === 'main', 'switch to the branch main first');
  check(git('status', '--porcelain') === '', 'commit your changes first');
  inWorkTree((tree) => release(tree));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

function release(tree) {
  const version = run(tree, 'npm', 'version', '--no-git-tag-version', '--allow-same-version', wanted)
    .trim()
    .replace(/^v/, '');
  const tag = `v${version}`;
  check(git('tag', '--list', tag) === '', `${tag} exists already`);
  check(isDescribed(tree, version), `CHANGELOG.md has nothing under "## ${version}"; rename the unreleased section`);
  run(tree, 'git', 'commit', '--quiet', '--all', '--allow-empty', '--message', `release: ${version}`);
  console.log(`checking ${version}`);
  check(spawnSync('bash', ['.ci/run'], { cwd: tree, stdio: 'inherit' }).status === 0, 'CI failed');
  run(tree, 'npm', 'ci');
  const packed = run(tree, 'npm', 'pack', '--silent', '--pack-destination', process.cwd()).trim();
  console.log(`packed ${packed}`);
  if (values['dry-run']) return console.log('dry run: only the packed file is kept');
  git('merge', '--quiet', '--ff-only', run(tree, 'git', 'rev-parse', 'HEAD').trim());
  git('tag', '--annotate', '--message', version, tag);
  return console.log(`tagged ${tag}; to publish it, run git push --atomic origin main ${tag}`);
}

/** Runs `act` in a temporary work tree. */
function inWorkTree(act) {
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-release-'));
  const tree = join(folder, 'tree');
  try {
    git('worktree', 'add', '--quiet', '--detach', tree);
    act(tree);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  }
}

/** True if the changelog has a section for the version with text. */
function isDescribed(tree, version) {
  const sections = readFileSync(join(tree, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  return section !== undefined && /\n\s*\S/.test(section);
}

function git(...argv) {
  return run(process.cwd(), 'git', ...argv).trim();
}

function run(cwd, program, ...argv) {
  return execFileSync(program, argv, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function check(holds, message) {
  if (!holds) throw new Error(message);
}
