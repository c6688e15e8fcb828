// Collects the licenses of the packages in the bundles.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { slashed } from './inputs.mjs';

const root = slashed(dirname(import.meta.dirname));
const llhttp = readFileSync(join(import.meta.dirname, 'llhttp-license.txt'), 'utf8').trim();
const unlicense = 'This is free and unencumbered software released into the public domain: https://unlicense.org';
const heading = `Third-party licenses

The license of bizmsg is in LICENSE. The files in dist contain code of these packages:
`;

/**
 * Returns the packages whose code is in each chunk.
 * @param {readonly { readonly fileName: string, readonly moduleIds?: readonly string[] }[]} chunks
 */
export function packagesOf(chunks) {
  const nameOf = (/** @type {string} */ id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(slashed(id))?.[1] ?? [];
  const packages = chunks.map(({ fileName, moduleIds = [] }) => {
    const names = new Set(moduleIds.flatMap(nameOf));
    return [fileName, [...names].sort()];
  });
  return Object.fromEntries(packages);
}

/** Returns the license texts of the packages in chunks. */
export function thirdPartyLicenses(chunks) {
  /** @type {Map<string, Set<string>>} */
  const texts = new Map();
  for (const module of chunks.flatMap(({ moduleIds = [] }) => moduleIds)) {
    // The bundler's runtime belongs to rolldown.
    const path = slashed(module).replace(/^\0rolldown\//, `${root}/node_modules/rolldown/`);
    const file = path.replace(/^\0|\?.*$/g, '');
    if (file.startsWith(`${root}/src/`)) continue;
    for (const [title, text] of licensesOf(file)) texts.set(title, (texts.get(title) ?? new Set()).add(text));
  }
  const line = '='.repeat(80);
  const titles = [...texts.keys()].sort();
  const sections = titles.map(
    (title) => `\n${line}\n${title}\n${line}\n\n${[...(texts.get(title) ?? [])].sort().join('\n\n')}\n`,
  );
  return heading + sections.join('');
}

/** Returns titles and texts: of the file's package, and of third-party code within it. */
function licensesOf(file) {
  const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
  if (folder === undefined) throw new Error(`cannot find the package of "${file}"`);
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const title = `${name} ${version} (${license})`;
  const texts = name === 'postgres' ? [unlicense] : textsAbove(dirname(file), folder);
  if (!license || texts.length === 0) throw new Error(`${title} has no license text; add it in build/licenses.mjs`);
  const inner = file.includes('/undici/lib/llhttp/') ? [[`llhttp, within ${name} ${version} (MIT)`, llhttp]] : [];
  return [...texts.map((text) => [title, text]), ...inner];
}

/** Returns license files from a folder up to its package's, because a part of a package may have its own. */
function textsAbove(here, folder) {
  const names = readdirSync(here).filter((name) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(name));
  const texts = names.map((name) => readFileSync(join(here, name), 'utf8').replaceAll('\r\n', '\n').trim());
  return here === folder ? texts : [...texts, ...textsAbove(dirname(here), folder)];
}
