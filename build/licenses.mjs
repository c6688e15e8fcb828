// Collects the licenses of the packages in the bundles.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { slashed } from './paths.mjs';

/**
 * @typedef {{ readonly at: string, readonly name: string, readonly license: string, readonly text: string }} Added
 * @typedef {{ readonly title: string, readonly text: string }} Part
 */

const root = dirname(import.meta.dirname);

/**
 * License texts for paths in node_modules that lack one.
 * @type {readonly Added[]}
 */
const addedTexts = [
  {
    at: 'undici/lib/llhttp/',
    name: 'llhttp',
    license: 'MIT',
    text: readFileSync(join(import.meta.dirname, 'llhttp-license.txt'), 'utf8'),
  },
  {
    at: 'postgres/',
    name: 'postgres',
    license: 'Unlicense',
    text: readFileSync(join(import.meta.dirname, 'unlicense.txt'), 'utf8'),
  },
];

const heading = `Third-party licenses

The license of bizmsg is in LICENSE. The files in dist contain code of these packages:
`;

/**
 * Returns the modules in a bundle.
 * @param {readonly { readonly moduleIds?: readonly string[] }[]} output
 */
export function modulesOf(output) {
  return output.flatMap(({ moduleIds }) => moduleIds ?? []);
}

/**
 * Returns the packages whose code is in each chunk.
 * @param {readonly { readonly fileName: string, readonly moduleIds?: readonly string[] }[]} output
 */
export function packagesOf(output) {
  return Object.fromEntries(
    output.map(({ fileName, moduleIds = [] }) => {
      const names = moduleIds.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(slashed(id))?.[1] ?? []);
      return [fileName, [...new Set(names)].sort()];
    }),
  );
}

/**
 * Returns the license texts of the modules, independent of their order.
 * @param {readonly string[]} modules
 * @param {{ readonly project?: string, readonly added?: readonly Added[] }} [given]
 */
export function thirdPartyLicenses(modules, { project = root, added = addedTexts } = {}) {
  /** @type {Map<string, Set<string>>} */
  const texts = new Map();
  for (const module of modules) {
    const file = fileOf(module, project);
    if (file.startsWith(slashed(join(project, 'src/')))) continue;
    for (const { title, text } of partsOf(file, added)) texts.set(title, (texts.get(title) ?? new Set()).add(text));
  }
  return (
    heading +
    [...texts.keys()]
      .sort()
      .map((title) => section(title, texts.get(title) ?? new Set()))
      .join('')
  );
}

/**
 * Returns the file of a module; the bundler's runtime belongs to rolldown.
 * @param {string} module
 * @param {string} project
 */
function fileOf(module, project) {
  return slashed(module)
    .replace(/^\0rolldown\//, slashed(join(project, 'node_modules/rolldown/')))
    .replace(/^\0|\?.*$/g, '');
}

/**
 * Returns the license of the file's package, and of third-party code within it.
 * @param {string} file
 * @param {readonly Added[]} added
 * @returns {readonly Part[]}
 */
function partsOf(file, added) {
  const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
  if (folder === undefined) throw new Error(`cannot find the package of "${file}"`);
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const title = `${name} ${version} (${license})`;
  const here = added.filter(({ at }) => `${name}/${slashed(relative(folder, file))}`.startsWith(at));
  const own = here.filter((one) => one.name === name && one.license === license).map(({ text }) => text);
  const texts = [...textsAbove(file, folder), ...own];
  if (!license || texts.length === 0) throw new Error(`${title} has no license text; add it in build/licenses.mjs`);
  const others = here.filter((one) => one.name !== name);
  return [
    ...texts.map((text) => ({ title, text: text.trim() })),
    ...others.map((one) => ({
      title: `${one.name}, within ${name} ${version} (${one.license})`,
      text: one.text.trim(),
    })),
  ];
}

/**
 * Returns license files from the file's folder up to its package's, because a part of a package may have its own.
 * @param {string} file
 * @param {string} folder
 * @returns {readonly string[]}
 */
function textsAbove(file, folder) {
  const here = dirname(file);
  const names = readdirSync(here).filter((name) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(name));
  const texts = names.sort().map((name) => readFileSync(join(here, name), 'utf8').replaceAll('\r\n', '\n'));
  return here === folder ? texts : [...texts, ...textsAbove(here, folder)];
}

/**
 * @param {string} title
 * @param {ReadonlySet<string>} texts
 */
function section(title, texts) {
  const line = '='.repeat(80);
  return `\n${line}\n${title}\n${line}\n\n${[...texts].sort().join('\n\n')}\n`;
}
