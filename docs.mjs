// Writes docs/reference.md from the command tree.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = import.meta.dirname;
const dir = mkdtempSync(join(tmpdir(), 'bizmsg-docs-'));

const input = {
  reference: join(root, 'build/reference.ts'),
  tree: join(root, 'src/commands/index.ts'),
};
const bundle = await rolldown({ input, platform: 'node', checks: { ineffectiveDynamicImport: false } });
await bundle.write({ dir, entryFileNames: '[name].mjs' });
await bundle.close();
const bundled = (name) => import(pathToFileURL(join(dir, `${name}.mjs`)).href);
const [{ reference }, { tree }] = await Promise.all(Object.keys(input).map(bundled));
writeFileSync(join(root, 'docs/reference.md'), await reference(tree));
rmSync(dir, { recursive: true });
