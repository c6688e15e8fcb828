import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { newHome } from '../support/fake-service.ts';
import { installIn } from '../support/install.ts';
import { blocksIn } from '../support/docs.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('they run a POSIX shell');

const root = fileURLToPath(new URL('../..', import.meta.url));
const [plain = ''] = blocksIn('docs/testing.md', 'In plain JavaScript', 1);
const [script = ''] = blocksIn('docs/testing.md', 'In CI', 1);

describe('the page about tests', () => {
  it('uses the library in plain JavaScript', async () => {
    const home = newHome();
    mkdirSync(join(home, 'node_modules'));
    symlinkSync(root, join(home, 'node_modules/bizmsg'));
    writeFileSync(join(home, 'contacts.mjs'), plain);
    expect((await execa(process.execPath, ['contacts.mjs'], { cwd: home })).stdout).toBe('200 1');
  });

  it('runs a command against its own sandbox', async () => {
    const home = newHome();
    const env = { HOME: home, PATH: installIn(home) };
    const line = script.replace(/^npx /, '');
    const { exitCode, stdout } = await execa('/bin/sh', ['-c', line], { cwd: home, env, extendEnv: false });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_\w+$/)]);
  });
});
