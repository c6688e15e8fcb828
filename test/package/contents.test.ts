import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { hasSqlite } from './setup.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const installed = join(inject('project'), 'node_modules/bizmsg');
const files = readdirSync(installed, { recursive: true, withFileTypes: true })
  .filter((entry) => !entry.isDirectory())
  .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));

const declarations = readdirSync(join(root, 'dist/sandbox/types'), { recursive: true }).filter((file) =>
  /\.d\.c?ts$/.test(String(file)),
);

/** Patterns of the allowed files, with their count. */
const expected = [
  [/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|AGENTS\.md)$/, 7],
  [/^docs\/(send|batch|listen)\.svg$/, 3],
  [/^docs\/page-(light|dark)\.png$/, 2],
  [/^docs\/[a-z-]+\.md$/, readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md')).length],
  [/^bin\/([a-z-]+\.js|package\.json)$/, readdirSync(join(root, 'bin')).length],
  [/^completions\/(_bizmsg|bizmsg\.(bash|fish|ps1))$/, 4],
  [/^dist\/THIRD-PARTY-LICENSES\.txt$/, 1],
  [/^dist\/page\/page\.(js|css)$/, 2],
  [/^dist\/sandbox\/library\.(js|cjs)$/, 2],
  [/^dist\/sandbox\/types\/[a-z/-]+\.d\.c?ts$/, declarations.length],
  [/^dist\/cli\/main\.cjs$/, 1],
] as const;
const chunk = /^dist\/cli\/[a-z0-9][a-z0-9.-]*-[\w-]{8}\.cjs$/;

describe('the packed file', () => {
  it.each(expected)('matches %s %i times', (pattern, count) => {
    expect(files.filter((file) => pattern.test(file))).toHaveLength(count);
  });

  it('has no files besides these and chunks', () => {
    const strange = files.filter(
      (file) => ![chunk, ...expected.map(([pattern]) => pattern)].some((is) => is.test(file)),
    );
    expect(strange).toEqual([]);
  });

  it('has no unused chunk', () => {
    const programs = files.filter((file) => file.startsWith('dist/cli/') && file.endsWith('.cjs'));
    const loaded = new Set(programs.flatMap((file) => text(file).match(/[\w.-]+\.cjs/g) ?? []));
    const idle = programs.filter((file) => chunk.test(file) && !loaded.has(file.slice('dist/cli/'.length)));
    expect(idle).toEqual([]);
  });

  it('is small', () => {
    const unpacked = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
    // The largest are undici (530 kB), what conf needs (215 kB) and the numbering plans of phones (195 kB); in docs, the pictures of
    // the page (270 kB).
    expect(statSync(inject('tarball')).size).toBeLessThan(1_200_000);
    expect(unpacked).toBeLessThan(3_200_000);
  });

  it('contains no path of the build machine', () => {
    const naming = files.filter((file) => readFileSync(join(installed, file)).includes(root));
    expect(naming).toEqual([]);
  });

  it('has every file that its package.json points to', () => {
    const { bin, exports, typesVersions } = JSON.parse(text('package.json'));
    const targets = JSON.stringify([bin, exports, typesVersions]).match(/(?:\.\/)?(?:bin|dist)\/[\w./-]+/g) ?? [];
    expect(targets).toHaveLength(6);
    for (const target of targets) expect(files).toContain(target.replace('./', ''));
  });

  it('has an executable binary', () => {
    expect(statSync(join(installed, 'bin/bizmsg.js')).mode & 0o111).toBe(0o111);
  });
});

describe('its installation', () => {
  it('installs no other package than SQLite on Node 20', () => {
    const sqlite = hasSqlite ? [] : ['@photostructure', 'node-addon-api', 'node-gyp-build'];
    const folders = readdirSync(join(inject('project'), 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(folders.sort()).toEqual(['bizmsg', ...sqlite].sort());
  });

  it('runs no script, and the package has none', () => {
    expect(JSON.parse(text('package.json'))).not.toHaveProperty('scripts');
    expect(inject('npmOutput').trim()).toMatch(hasSqlite ? /^added 1 package in \S+$/ : /^added 4 packages in \S+$/);
  });

  it('restores the package.json of the clone', () => {
    const { scripts, devDependencies, allowScripts, ...shipped } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    expect([scripts, devDependencies, allowScripts].map(Boolean)).toEqual([true, true, true]);
    expect(JSON.parse(text('package.json'))).toEqual(shipped);
  });
});

describe('the third-party licenses', () => {
  const licenses = text('dist/THIRD-PARTY-LICENSES.txt');
  const titles = [...licenses.matchAll(/^={80}\n(.+)\n={80}\n\n(?=\S)/gm)].map(([, title]) => title ?? '');

  it.each(['commander', 'undici', 'llhttp', 'ajv', 'libphonenumber-js', '@inquirer/core', 'rolldown'])(
    'include %s',
    (name) => {
      expect(titles.filter((title) => title.startsWith(`${name} `) || title.startsWith(`${name},`))).toHaveLength(1);
    },
  );

  it('list only packages of the lock file, in its versions', () => {
    const locked: { readonly packages: Readonly<Record<string, { readonly version?: string }>> } = JSON.parse(
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
    );
    const lockedNames = new Set(
      Object.entries(locked.packages).map(
        ([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`,
      ),
    );
    const unknown = titles.filter(
      (title) => !lockedNames.has(title.replace(/^.*, within /, '').replace(/ \([^)]+\)$/, '')),
    );
    expect(unknown).toEqual([]);
  });
});

function text(file: string): string {
  return readFileSync(join(installed, file), 'utf8');
}
