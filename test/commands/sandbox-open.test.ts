import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modeOf, ownFile } from '../support/system.ts';
import { openTerminal } from '../support/terminal.ts';
import { local } from './sandbox-rig.ts';

const link = /^http:\/\/127\.0\.0\.1:\d+\/__sandbox\/#t=[0-9a-f]{48}\n$/;

describe('sandbox open', () => {
  it('prints the link', async () => {
    const { run } = await local();
    expect(await run('sandbox open')).toMatchObject({ code: 0, stdout: expect.stringMatching(link), stderr: '' });
    expect((await run('sandbox open --print')).stdout).toMatch(link);
    const { url, ...rest } = JSON.parse((await run('sandbox open -o json')).stdout);
    expect([`${url}\n`, rest]).toEqual([expect.stringMatching(link), {}]);
  });

  it('exits 3 for an address where no sandbox runs', async () => {
    const { run } = await local();
    expect(await run('sandbox open --url http://127.0.0.1:9')).toMatchObject({ code: 3, stdout: '' });
  });

  it('opens the page on a terminal, without the link as an argument', async () => {
    const { home, run } = await local();
    const [programs, opened] = [join(home, 'programs'), join(home, 'opened')];
    mkdirSync(programs);
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(programs, name), `#!/bin/sh\necho "$1" >> '${opened}'\n`);
      chmodSync(join(programs, name), 0o755);
    }
    const env = { DISPLAY: ':9', PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}` };
    const terminal = openTerminal({ home, env });
    await terminal.enter('bizmsg sandbox open --print; bizmsg sandbox open');
    expect(await terminal.ended()).toBe(0);
    await expect.poll(() => existsSync(opened)).toBe(true);
    const file = readFileSync(opened, 'utf8').trim();
    expect(file).toMatch(/\/sandboxes\/\d+\.html$/);
    expect(modeOf(file)).toBe(ownFile);
    const { stdout } = await run('sandbox open --print');
    expect(readFileSync(file, 'utf8')).toContain(`content="0;url=${stdout.trim()}"`);
  });
});
