import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { thirdPartyLicenses } from '../../build/licenses.mjs';

const project = mkdtempSync(join(tmpdir(), 'bizmsg-licenses-'));
afterAll(() => rmSync(project, { recursive: true }));

/** Adds a package to node_modules. */
function add(name: string, manifest: object, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(project, 'node_modules', name);
  const given = { 'package.json': JSON.stringify({ name, version: '1.2.3', ...manifest }), ...files };
  for (const [file, text] of Object.entries(given)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return join(folder, 'index.js');
}

const plain = add('plain', { license: 'MIT' }, { LICENSE: 'Copyright (c) Plain\r\nAll of it.\r\n' });
const scoped = add('@a/scoped', { license: 'ISC' }, { 'license.md': 'Copyright Scoped\n', 'NOTICE.txt': 'Noted\n' });
const own = add('own', { license: 'MIT' }, { LICENSE: 'Whole\n', 'lib/deep/LICENSE-APACHE': 'Deep\n' });
const bare = add('bare', { license: 'MIT' });
const unstated = add('unstated', {}, { LICENSE: 'Copyright Unstated\n' });
const added = (name: string, license = 'MIT') => [{ at: 'bare/', name, license, text: 'Added\n' }];

describe('the license file of a bundle', () => {
  it('contains each package once, with its version, its license and its text', () => {
    const text = thirdPartyLicenses([scoped, plain, plain.replace('index', 'other')], { project });
    expect(text.match(/^.+ 1\.2\.3 .+$/gm)).toEqual(['@a/scoped 1.2.3 (ISC)', 'plain 1.2.3 (MIT)']);
    expect(text).toContain('\n\nCopyright (c) Plain\nAll of it.\n');
    expect(text).toContain('\n\nCopyright Scoped\n\nNoted\n');
  });

  it.each([
    ['our own modules', (root: string) => join(root, 'src/main.ts'), /packages:\n$/],
    ['a module with a query', () => `${plain}?commonjs`, /plain 1\.2\.3/],
    ['a module that the bundler wraps', () => `\0${plain}`, /plain 1\.2\.3/],
    ['a part of a package with its own license', () => own.replace('index.js', 'lib/deep/x.js'), /Deep\n\nWhole\n$/],
    ['a part without its own license', () => own, /\n\nWhole\n$/],
  ])('handles %s', (_, module, expected) => {
    expect(thirdPartyLicenses([module(project)], { project })).toMatch(expected);
  });

  it('uses an added text for a package without one', () => {
    expect(thirdPartyLicenses([bare], { project, added: added('bare') })).toContain('Added');
  });

  it('names third-party code within a package', () => {
    const text = thirdPartyLicenses([bare], { project, added: [...added('bare'), ...added('inner', 'ISC')] });
    expect(text).toContain('inner, within bare 1.2.3 (ISC)');
  });

  it.each([
    ['a package without a text', bare, added('inner'), /^bare 1\.2\.3 \(MIT\) has no license text/],
    ['a text for another license', bare, added('bare', 'ISC'), /^bare 1\.2\.3 \(MIT\) has no license text/],
    ['a package without a license', unstated, [], /^unstated 1\.2\.3 \(undefined\) has no license text/],
    ['a file outside node_modules', '/elsewhere/x.js', [], /^cannot find the package of "\/elsewhere\/x\.js"$/],
  ])('rejects %s', (_, module, texts, message) => {
    expect(() => thirdPartyLicenses([module], { project, added: texts })).toThrow(message);
  });
});
