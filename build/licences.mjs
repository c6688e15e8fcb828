// Says whose code the bundles hold, and on what terms.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * @typedef {{ readonly at: string, readonly name: string, readonly licence: string, readonly text: string }} Supplied
 * @typedef {{ readonly title: string, readonly text: string }} Part
 */

const root = dirname(import.meta.dirname);

/**
 * For what lies `at` a place in node_modules and comes without its text.
 * @type {readonly Supplied[]}
 */
const ours = [
  {
    at: 'undici/lib/llhttp/',
    name: 'llhttp',
    licence: 'MIT',
    text: readFileSync(join(import.meta.dirname, 'llhttp-license.txt'), 'utf8'),
  },
];

const heading = `Third-party licences

bizmsg itself is under the licence in LICENSE. What is in dist holds code of these packages:
`;

/**
 * The modules that a bundle is made of.
 * @param {readonly { readonly moduleIds?: readonly string[] }[]} output
 */
export function modulesOf(output) {
  return output.flatMap(({ moduleIds }) => moduleIds ?? []);
}

/**
 * The packages that each chunk holds code of.
 * @param {readonly { readonly fileName: string, readonly moduleIds?: readonly string[] }[]} output
 */
export function packagesOf(output) {
  return Object.fromEntries(
    output.map(({ fileName, moduleIds = [] }) => {
      const names = moduleIds.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
      return [fileName, [...new Set(names)].sort()];
    }),
  );
}

/**
 * The same text for the same modules, in whatever order they come.
 * @param {readonly string[]} modules
 * @param {{ readonly project?: string, readonly supplied?: readonly Supplied[] }} [given]
 */
export function thirdPartyLicences(modules, { project = root, supplied = ours } = {}) {
  /** @type {Map<string, Set<string>>} */
  const texts = new Map();
  for (const module of modules) {
    const file = fileOf(module, project);
    if (file.startsWith(join(project, 'src/'))) continue;
    for (const { title, text } of partsOf(file, supplied)) texts.set(title, (texts.get(title) ?? new Set()).add(text));
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
 * What holds the modules together is rolldown's own.
 * @param {string} module
 * @param {string} project
 */
function fileOf(module, project) {
  return module.replace(/^\0rolldown\//, join(project, 'node_modules/rolldown/')).replace(/^\0|\?.*$/g, '');
}

/**
 * The package that a file belongs to, and what in it is of others.
 * @param {string} file
 * @param {readonly Supplied[]} supplied
 * @returns {readonly Part[]}
 */
function partsOf(file, supplied) {
  const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
  if (folder === undefined) throw new Error(`nobody knows whose code "${file}" is`);
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const title = `${name} ${version} (${license})`;
  const here = supplied.filter(({ at }) => `${name}/${relative(folder, file)}`.startsWith(at));
  const own = here.filter((one) => one.name === name && one.licence === license).map(({ text }) => text);
  const texts = [...textsAbove(file, folder), ...own];
  if (!license || texts.length === 0)
    throw new Error(`${title} lacks its licence; supply the text in build/licences.mjs`);
  const others = here.filter((one) => one.name !== name);
  return [
    ...texts.map((text) => ({ title, text: text.trim() })),
    ...others.map((one) => ({
      title: `${one.name}, within ${name} ${version} (${one.licence})`,
      text: one.text.trim(),
    })),
  ];
}

/**
 * From the file's folder up to its package's: a part of a package can have terms of its own.
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
