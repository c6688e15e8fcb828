// Writes the parts of docs that come from the source: docs/reference.md from the command tree, the topics of the help in
// docs/scripting.md, and the types of the library in docs/testing.md.
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
  topics: join(root, 'src/commands/topics.ts'),
};
const bundle = await rolldown({ input, platform: 'node', checks: { ineffectiveDynamicImport: false } });
await bundle.write({ dir, entryFileNames: '[name].mjs' });
await bundle.close();
const bundled = (name) => import(pathToFileURL(join(dir, `${name}.mjs`)).href);
const [{ reference }, { tree }, { topics }] = await Promise.all(Object.keys(input).map(bundled));
writeFileSync(join(root, 'docs/reference.md'), await reference(tree));
rmSync(dir, { recursive: true });

replace('docs/scripting.md', /(```console\n\$ bizmsg help ([\w-]+)\n).*?(?=```)/gs, (_, start, topic) => {
  return start + topics[topic];
});
replace('docs/testing.md', /(\n## The whole interface\n.*?```ts\n).*?(?=```\n$)/s, (_, start) => {
  return start + readFileSync(join(root, 'src/sandbox/library/types.ts'), 'utf8');
});

function replace(page, pattern, by) {
  const file = join(root, page);
  writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, by));
}
