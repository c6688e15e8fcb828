import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { stopSandboxes } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { installIn } from '../support/install.ts';
import { blocksIn } from '../support/docs.ts';
import { posixOnly } from '../support/system.ts';
import { noTerminal } from '../support/terminal.ts';
import { openReader } from './docs-rig.ts';

posixOnly('they run a POSIX shell');

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

const [loop = ''] = blocksIn('docs/scripting.md', 'Scripting', 1);
const [template = ''] = blocksIn('docs/scripting.md', 'Send a message', 1);
const [lists = ''] = blocksIn('docs/scripting.md', 'Lists, and any other request', 1);
describe('the page about scripts', () => {
  it('loops over a file', async () => {
    const home = newHome();
    writeFileSync(join(home, 'phones.txt'), '+12025550101\n+12025550111\n');
    const env = { HOME: home, PATH: installIn(home) };
    const { exitCode, stdout } = await execa('/bin/sh', ['-c', loop], { cwd: home, env, extendEnv: false });
    await stopSandboxes(home);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_\w+\nmsg_sandbox_\w+$/)]);
  });

  it('works with contacts, templates and campaigns', async () => {
    expect(await openReader().follow(template + lists)).toEqual([]);
  });
});
