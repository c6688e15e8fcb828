import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { serve } from '../client/servers.ts';
import { newHome } from '../support/fake-service.ts';
import { installIn } from '../support/install.ts';
import { blocksIn } from '../support/readme.ts';
import { noTerminal } from '../support/terminal.ts';
import { openReader } from './readme-rig.ts';

const [started = '', hooked = '', moved = '', faulty = '', script = ''] = blocksIn('Run the sandbox', 5);

describe('the README', () => {
  it('runs the sandbox, receives events, moves its clock and makes it fail', async (context) => {
    context.skip(noTerminal !== undefined, noTerminal);
    let status = 500;
    const handler = await serve((_, __, response) => response.writeHead(status).end());
    const here = (block: string) => block.replaceAll(':3000', `:${handler.port}`);
    const { follow } = openReader();
    const [sent = '', delivered = ''] = here(hooked).split(/^(?=\$ bizmsg sandbox deliveries)/m);
    expect([await follow(started), await follow(sent)]).toEqual([[], []]);
    await expect.poll(() => handler.seen.length).toBe(1);
    expect(await follow(delivered)).toEqual([]);
    await expect.poll(() => handler.seen.length).toBe(2);
    status = 200;
    expect([await follow(here(moved)), await follow(faulty)]).toEqual([[], []]);
  });

  it('runs a command against its own sandbox', async () => {
    const home = newHome();
    const env = { HOME: home, PATH: installIn(home) };
    const line = script.replace(/^npx /, '');
    const { exitCode, stdout } = await execa('/bin/sh', ['-c', line], { cwd: home, env, extendEnv: false });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_\w+$/)]);
  });
});
