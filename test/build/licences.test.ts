import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { modulesOf, thirdPartyLicences } from '../../build/licences.mjs';

const project = mkdtempSync(join(tmpdir(), 'bizmsg-licences-'));
afterAll(() => rmSync(project, { recursive: true }));

/** A package in node_modules, as its files say it. */
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
const unstated = add('unstated', {}, { LICENSE: 'Copyright Nobody\n' });
const supplied = (name: string, licence = 'MIT') => [{ at: 'bare/', name, licence, text: 'Supplied\n' }];

describe('the licences of a bundle', () => {
  it('hold each package once, with its version, its licence and its text', () => {
    const text = thirdPartyLicences([scoped, plain, plain.replace('index', 'other')], { project });
    expect(text.match(/^.+ 1\.2\.3 .+$/gm)).toEqual(['@a/scoped 1.2.3 (ISC)', 'plain 1.2.3 (MIT)']);
    expect(text).toContain('\n\nCopyright (c) Plain\nAll of it.\n');
    expect(text).toContain('\n\nCopyright Scoped\n\nNoted\n');
  });

  it('are the same in whatever order the modules come', () => {
    const modules = [scoped, plain, own];
    expect(thirdPartyLicences(modules.toReversed(), { project })).toBe(thirdPartyLicences(modules, { project }));
  });

  it.each([
    ['what is ours', (root: string) => join(root, 'src/main.ts'), /packages:\n$/],
    ['a module with a query', () => `${plain}?commonjs`, /plain 1\.2\.3/],
    ['what a bundler makes of a module', () => `\0${plain}`, /plain 1\.2\.3/],
    ['terms of a part of a package', () => own.replace('index.js', 'lib/deep/x.js'), /Deep\n\nWhole\n$/],
    ['a part without terms of its own', () => own, /\n\nWhole\n$/],
  ])('know %s', (_, module, expected) => {
    expect(thirdPartyLicences([module(project)], { project })).toMatch(expected);
  });

  it('name rolldown for what it puts around the modules', () => {
    add('rolldown', { license: 'MIT' }, { LICENSE: 'Copyright Rolldown\n' });
    expect(thirdPartyLicences(['\0rolldown/runtime.js'], { project })).toContain('rolldown 1.2.3 (MIT)');
  });

  it('take a text that is supplied for a package without one', () => {
    expect(thirdPartyLicences([bare], { project, supplied: supplied('bare') })).toContain('Supplied');
  });

  it('name what of others lies in a package', () => {
    const text = thirdPartyLicences([bare], { project, supplied: [...supplied('bare'), ...supplied('inner', 'ISC')] });
    expect(text).toContain('inner, within bare 1.2.3 (ISC)');
  });

  it.each([
    ['a package without a text', bare, supplied('inner'), /^bare 1\.2\.3 \(MIT\) lacks its licence/],
    ['a text for another licence', bare, supplied('bare', 'ISC'), /^bare 1\.2\.3 \(MIT\) lacks its licence/],
    ['a package that states none', unstated, [], /^unstated 1\.2\.3 \(undefined\) lacks its licence/],
    ['code of nobody known', '/elsewhere/x.js', [], /^nobody knows whose code "\/elsewhere\/x\.js" is$/],
  ])('refuse %s', (_, module, texts, message) => {
    expect(() => thirdPartyLicences([module], { project, supplied: texts })).toThrow(message);
  });
});

it('reads the modules of what was written, files that are no code aside', () => {
  expect(modulesOf([{ moduleIds: ['a', 'b'] }, {}, { moduleIds: ['c'] }])).toEqual(['a', 'b', 'c']);
});
