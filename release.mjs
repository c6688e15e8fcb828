// Prepares a release: `npm run release -- minor`, or a full version. Pushing the tag publishes it.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [wanted = '', ...more] = process.argv.slice(2);

try {
  const isVersion = /^(major|minor|patch|\d+\.\d+\.\d+)$/.test(wanted) && more.length === 0;
  check(isVersion, 'pass patch, minor, major or a version');
  check(git('branch', '--show-current') === 'main', 'switch to the branch main first');
  check(git('status', '--porcelain') === '', 'commit your changes first');
  const before = git('rev-parse', 'HEAD');
  try {
    release();
  } catch (error) {
    git('reset', '--quiet', '--hard', before);
    throw error;
  }
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

function release() {
  const tag = run('npm', 'version', '--no-git-tag-version', '--allow-same-version', wanted);
  const version = tag.replace(/^v/, '');
  check(git('tag', '--list', tag) === '', `${tag} exists already`);
  check(isDescribed(version), `CHANGELOG.md has nothing under "## ${version}"; rename the unreleased section`);
  git('commit', '--quiet', '--all', '--allow-empty', '--message', `release: ${version}`);
  console.log(`checking ${version}`);
  check(spawnSync('bash', ['.ci/run'], { stdio: 'inherit' }).status === 0, 'CI failed');
  git('tag', '--annotate', '--message', version, tag);
  console.log(`tagged ${tag}; to publish it, run git push --atomic origin main ${tag}`);
}

/** True if the changelog has a section for the version with text. */
function isDescribed(version) {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  return section !== undefined && /\n\s*\S/.test(section);
}

function git(...argv) {
  return run('git', ...argv);
}

function run(program, ...argv) {
  return execFileSync(program, argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

function check(holds, message) {
  if (!holds) throw new Error(message);
}
