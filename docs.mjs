// Writes docs/reference.md from the command tree.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const docs = join(import.meta.dirname, 'docs');
const dir = mkdtempSync(join(tmpdir(), 'bizmsg-docs-'));

const input = {
  reference: join(import.meta.dirname, 'src/cli/help.ts'),
  tree: join(import.meta.dirname, 'src/commands/index.ts'),
};
const bundle = await rolldown({ input, platform: 'node', checks: { ineffectiveDynamicImport: false } });
await bundle.write({ dir, entryFileNames: '[name].mjs' });
await bundle.close();
const { reference } = await import(pathToFileURL(join(dir, 'reference.mjs')).href);
const { tree } = await import(pathToFileURL(join(dir, 'tree.mjs')).href);
writeFileSync(join(docs, 'reference.md'), await reference(tree));
rmSync(dir, { recursive: true });
