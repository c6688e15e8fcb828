// Writes docs/reference.md from the command tree.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modules } from './build/cli.mjs';

const folder = mkdtempSync(join(tmpdir(), 'bizmsg-docs-'));
const [{ reference }, { tree }] = await modules(folder, ['build/reference.ts', 'src/commands/index.ts'], {});
writeFileSync(join(import.meta.dirname, 'docs/reference.md'), await reference(tree));
rmSync(folder, { recursive: true });
