import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { posixOnly } from '../support/system.ts';

posixOnly('they run a POSIX shell');

const script = fileURLToPath(new URL('../../release.mjs', import.meta.url));

type Repository = ReturnType<typeof repository>;

/** A small package at 0.1.0, whose CI writes the version it checks to a file. */
function repository(ci = 'node -p "require(\'./package.json\').version" > "$SEEN"') {
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-releases-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tree = join(folder, 'tree');
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;
  const env = { npm_config_update_notifier: 'false', HOME: folder, PATH: path, SEEN: join(folder, 'seen'), ...who };
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: tree, env, encoding: 'utf8' });
  const write = (file: string, text: string) => writeFileSync(join(tree, file), text);
  mkdirSync(join(tree, '.ci'), { recursive: true });
  git('init', '--quiet', '--initial-branch', 'main');
  write('.ci/run', ci);
  write('CHANGELOG.md', '# Changelog\n\n## 0.2.0\n\n- All of it.\n\n## 0.1.1\n\n## 0.1.0\n');
  write('package.json', '{ "name": "small", "version": "0.1.0" }\n');
  write('package-lock.json', JSON.stringify({ name: 'small', version: '0.1.0', lockfileVersion: 3, packages: {} }));
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
  const release = (...argv: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...argv], {
      cwd: tree,
      env,
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  };
  return { folder: tree, git, write, release };
}

describe('a release', () => {
  it('creates a commit and a tag', () => {
    const { folder, git, release } = repository();
    const { code, stdout } = release('minor');
    expect([code, stdout]).toEqual([0, expect.stringContaining('git push --atomic origin main v0.2.0')]);
    expect(git('log', '-2', '--format=%s')).toBe('release: 0.2.0\nall\n');
    expect(git('rev-parse', 'v0.2.0^{commit}')).toBe(git('rev-parse', 'main'));
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version).toBe('0.2.0');
    expect(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).version).toBe('0.2.0');
    expect(readFileSync(join(folder, '../seen'), 'utf8')).toBe('0.2.0\n');
  });

  it('accepts a full version', () => {
    const { git, release } = repository();
    release('0.2.0');
    expect(git('tag')).toBe('v0.2.0\n');
  });

  it.each([
    ['no version', [], 'pass patch, minor, major or a version'],
    ['an invalid version', ['next'], 'pass patch, minor, major or a version'],
    ['a version without a section in the changelog', ['major'], 'CHANGELOG.md has nothing under "## 1.0.0"'],
    ['a version with an empty section', ['patch'], 'CHANGELOG.md has nothing under "## 0.1.1"'],
  ])('refuses %s', (_, argv, why) => {
    const { git, release } = repository();
    const { code, stderr } = release(...argv);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: ${why}`)]);
    expect(stateOf(git)).toEqual(untouched);
  });

  it.each([
    ['uncommitted changes', (at: Repository) => at.write('new', ''), 'commit your changes first'],
    [
      'another branch',
      (at: Repository) => at.git('switch', '--quiet', '--create', 'work'),
      'switch to the branch main first',
    ],
    ['an existing tag', (at: Repository) => at.git('tag', 'v0.2.0'), 'v0.2.0 exists already'],
  ])('refuses %s', (_, before, why) => {
    const at = repository();
    before(at);
    expect(at.release('minor')).toMatchObject({ code: 1, stderr: expect.stringContaining(`error: ${why}`) });
    expect(at.git('log', '--format=%s')).toBe('all\n');
  });

  it('leaves nothing if CI fails', () => {
    const { git, release } = repository('exit 1');
    expect(release('minor')).toMatchObject({ code: 1, stderr: 'error: CI failed\n' });
    expect(stateOf(git)).toEqual(untouched);
  });
});

const untouched = { log: 'all\n', tags: '', status: '' };

function stateOf(git: Repository['git']): typeof untouched {
  return { log: git('log', '--format=%s'), tags: git('tag'), status: git('status', '--porcelain') };
}
