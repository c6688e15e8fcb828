import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { blocksIn, stepsIn, withoutVariables } from '../support/docs.ts';
import { sandboxHome } from '../support/fake-service.ts';
import { posixOnly } from '../support/system.ts';
import { openTerminal } from '../support/terminal.ts';
import { openReader, withoutTimes } from './docs-rig.ts';

posixOnly('they run a POSIX shell');

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the README', () => {
  const [first = '', printed = ''] = blocksIn('README.md', 'bizmsg', 2);
  const [prompted = ''] = blocksIn('README.md', 'Send a message', 1);
  const [file = '', batch = ''] = blocksIn('README.md', 'Send to many people', 2);
  const [listened = '', triggered = ''] = blocksIn('README.md', 'Receive events', 2);
  const [, line = ''] = first.trim().split('\n');

  it('asks for a message and sends it', async () => {
    const typed = [
      ['Recipient', '+12025550101'],
      ['Template', ''],
      ['{{1}} name', 'Ada'],
      ['{{2}} order', 'A-1042'],
      ['(y/N)', 'y'],
    ] as const;
    const answers = { 'bizmsg send-template --profile local': typed };
    expect(await openReader().follow(prompted, { answers })).toEqual([]);
  });

  it('sends to every row of a file', async () => {
    const { home, follow } = openReader({ local: withoutTimes });
    writeFileSync(join(home, 'orders.csv'), file);
    expect(await follow(batch)).toEqual([]);
  });

  it('receives an event', async () => {
    const { home, follow } = openReader();
    const [listening] = stepsIn(listened);
    const listener = openTerminal({ home, columns: 80 });
    await listener.enter(`${listening?.command} --port 0`);
    await listener.until('Ready');
    expect(await follow(triggered)).toEqual([]);
    await listener.until('order.paid');
    expect(withoutVariables(listener.screen())).toContain(withoutVariables(listening?.shown ?? ''));
  });

  it('shows the output of its first command on a terminal', async () => {
    expect(await openReader().follow(`$ ${line.replace('npx ', '')}\n${printed}`)).toEqual([]);
  });

  it('starts with a command that sends, once npm ci has run', async () => {
    const home = sandboxHome();
    const env = { HOME: home, PATH: process.env['PATH'] ?? '' };
    const { exitCode, stdout } = await execa('/bin/sh', ['-c', line], { cwd: root, env, extendEnv: false });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_\w+$/)]);
  });
});
