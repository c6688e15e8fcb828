// Writes the command reference into the README, between its two markers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = import.meta.dirname;
const readme = join(root, 'README.md');
const dir = mkdtempSync(join(tmpdir(), 'bizmsg-docs-'));

const input = { reference: join(root, 'src/cli/help.ts'), tree: join(root, 'src/commands/index.ts') };
const bundle = await rolldown({ input, platform: 'node', checks: { ineffectiveDynamicImport: false } });
await bundle.write({ dir, entryFileNames: '[name].mjs' });
await bundle.close();
const { reference } = await import(pathToFileURL(join(dir, 'reference.mjs')).href);
const { tree } = await import(pathToFileURL(join(dir, 'tree.mjs')).href);

const between = /(<!-- reference -->\n).*(<!-- \/reference -->)/s;
const text = readFileSync(readme, 'utf8');
const written = await reference(tree);
if (!between.test(text)) throw new Error('the README lacks the markers of its reference');
writeFileSync(
  readme,
  text.replace(between, (_, start, end) => start + written + end),
);
rmSync(dir, { recursive: true });
