import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binary, cleanEnv } from '../support/bin.ts';

import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

describe('an unusual environment', () => {
  const shell = (script: string, env: Readonly<Record<string, string>> = world.binEnv) =>
    execa('sh', ['-c', script], {
      env: { ...env, NODE: process.execPath, BIZMSG: binary },
      extendEnv: false,
      reject: false,
      cwd: world.home,
    });
  const bizmsg = '"$NODE" "$BIZMSG"';
  const send = `${bizmsg} send-template +12025550101 welcome`;

  it.each([
    ['whose stderr is full', `${send} 2> /dev/full`],
    ['whose stderr is closed', `${send} 2>&-`],
    ['whose stderr has no reader', `{ ${send} 2>&1 >&3 | true; } 3>&1`],
    ['whose stdin is closed', `${send} <&-`],
  ])('does not prevent a send %s', async (_, script) => {
    const { stdout } = await shell(script);
    expect(stdout).toBe(world.sandbox.messages()[0]?.id);
  });

  it.each(['', 'relative'])('starts the sandbox on demand with HOME="%s"', async (HOME) => {
    const state = join(world.home, 'st äö 名 dir');
    const env = cleanEnv(HOME, { BIZMSG_STATE_DIR: state });
    const sent = await shell(`${send} --profile local`, env);
    const stopped = await shell(`${bizmsg} sandbox stop`, env);
    expect([sent.exitCode, stopped.stdout]).toEqual([0, expect.stringMatching(/^Stopped http/)]);
    expect(readdirSync(state)).toContain('sandboxes');
  });
});
