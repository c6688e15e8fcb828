// Writes docs/reference.md from the command tree, and the types of the library into docs/testing.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = import.meta.dirname;
const dir = mkdtempSync(join(tmpdir(), 'bizmsg-docs-'));

const input = {
  reference: join(root, 'src/cli/help.ts'),
  tree: join(root, 'src/commands/index.ts'),
};
const bundle = await rolldown({ input, platform: 'node', checks: { ineffectiveDynamicImport: false } });
await bundle.write({ dir, entryFileNames: '[name].mjs' });
await bundle.close();
const { reference } = await import(pathToFileURL(join(dir, 'reference.mjs')).href);
const { tree } = await import(pathToFileURL(join(dir, 'tree.mjs')).href);
writeFileSync(join(root, 'docs/reference.md'), await reference(tree));
rmSync(dir, { recursive: true });

const testing = join(root, 'docs/testing.md');
const types = readFileSync(join(root, 'src/sandbox/library/types.ts'), 'utf8');
const beforeTypes = /^.*\n## The whole interface\n.*?```ts\n/s;
writeFileSync(testing, `${beforeTypes.exec(readFileSync(testing, 'utf8'))[0]}${types}\`\`\`\n`);
