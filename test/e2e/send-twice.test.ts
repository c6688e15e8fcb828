import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noTerminal, openTerminal, type Terminal } from '../support/terminal.ts';
import { execa } from 'execa';
import { cleanEnv, program } from '../support/bin.ts';
import { type Machine, message, openMachine } from '../commands/machine.ts';

const liveLine = [...message, '--profile', 'local', '--mode', 'live'];
let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});

describe('on a terminal, a live message that was sent before', () => {
  let terminal: Terminal;
  beforeEach((context) => {
    context.skip(noTerminal !== undefined, noTerminal);
    // A first key would make this a new user without a profile.
    mkdirSync(join(machine.home, '.config/bizmsg'), { recursive: true, mode: 0o700 });
    writeFileSync(join(machine.home, '.config/bizmsg/profiles.json'), '{"version":1,"profiles":{}}', { mode: 0o600 });
    terminal = openTerminal({ home: machine.home });
  });
  afterEach(() => terminal.close());

  const unwrapped = (text: string) => text.replaceAll('\n', ' ').replace(/ +/g, ' ');

  it('requires confirmation if it is unsure', async () => {
    await machine.breakNextSend();
    await machine.live(message);
    await terminal.enter(`bizmsg ${liveLine.join(' ')}`);
    const unsure = /The same message may have been sent .*\. Send it again\?/;
    expect(unwrapped(await terminal.until('Send it again?'))).toMatch(unsure);
    terminal.answer('y');
    expect([await terminal.ended(), await machine.sent()]).toEqual([0, 2]);
  });
});

it('sends with a key of the sandbox although the disk is full', async () => {
  const words = [...program, ...message, '--profile', 'local'];
  const { exitCode, stdout } = await execa('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', ...words], {
    env: cleanEnv(machine.home),
    extendEnv: false,
    reject: false,
  });
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^msg_/)]);
});
