// Prepares a release: `npm run release -- minor`, or a version in full; with --dry-run nothing is kept.
// All is done aside, so that a failure leaves nothing behind. A tag that is pushed is published by the workflow.
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
    'name patch, minor, major or a version',
  );
  check(git('branch', '--show-current') === 'main', 'releases are made on main');
  check(git('status', '--porcelain') === '', 'the tree has changes that are not committed');
  aside((tree) => release(tree));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

function release(tree) {
  const version = run(tree, 'npm', 'version', '--no-git-tag-version', '--allow-same-version', wanted)
    .trim()
    .replace(/^v/, '');
  const tag = `v${version}`;
  check(git('tag', '--list', tag) === '', `${tag} is there already`);
  check(isDescribed(tree, version), `CHANGELOG.md says nothing under "## ${version}"; rename what is unreleased`);
  run(tree, 'git', 'commit', '--quiet', '--all', '--allow-empty', '--message', `release: ${version}`);
  console.log(`checking ${version}`);
  check(spawnSync('bash', ['.ci/run'], { cwd: tree, stdio: 'inherit' }).status === 0, 'CI fails');
  run(tree, 'npm', 'ci');
  const packed = run(tree, 'npm', 'pack', '--silent', '--pack-destination', process.cwd()).trim();
  console.log(`packed ${packed}`);
  if (values['dry-run']) return console.log('nothing else is kept of a dry run');
  git('merge', '--quiet', '--ff-only', run(tree, 'git', 'rev-parse', 'HEAD').trim());
  git('tag', '--annotate', '--message', version, tag);
  return console.log(`tagged ${tag}; this publishes it: git push --atomic origin main ${tag}`);
}

/** A work tree of its own, gone afterwards. */
function aside(act) {
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

/** Whether the version has a section that is not empty. */
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

function check(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}
