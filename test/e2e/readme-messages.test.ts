import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { installIn } from '../support/install.ts';
import { blocksIn } from '../support/readme.ts';
import { noTerminal } from '../support/terminal.ts';
import { openReader } from './readme-rig.ts';

const root = new URL('../..', import.meta.url).pathname;

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

const [first = '', printed = ''] = blocksIn('bizmsg', 3);
const [sent = '', awaited = ''] = blocksIn('Send a message', 2);
const [contacts = '', request = ''] = blocksIn('Work with contacts, templates and campaigns', 2);
const [activity = ''] = blocksIn('See what was sent from this machine', 1);
const [loop = ''] = blocksIn('Use it in scripts', 1);
const [, line = ''] = first.split('npm ci && ');

describe('the README', () => {
  it('sends a message', async () => {
    expect(await openReader().follow(sent)).toEqual([]);
  });

  it('waits for the result of a message', async () => {
    expect(await openReader().follow(awaited)).toEqual([]);
  });

  it('works with contacts, templates and campaigns', async () => {
    const { follow } = openReader();
    expect([await follow(contacts), await follow(request)]).toEqual([[], []]);
  });

  it('lists the messages sent from this machine, and refuses to send one twice', async () => {
    const { follow } = openReader({ local: (text) => text.replace(/\b(just now|\d+ s ago)/, 'SOME TIME ago') });
    expect(await follow(activity)).toEqual([]);
  });

  it('shows the output of its first command on a terminal', async () => {
    expect(await openReader().follow(`$ ${line.replace('npx ', '')}${printed}`)).toEqual([]);
  });

  it('starts with a command that sends, once npm ci has run', async () => {
    const home = newHome();
    const env = { HOME: home, PATH: process.env['PATH'] ?? '' };
    const { exitCode, stdout } = await execa('/bin/sh', ['-c', line], { cwd: root, env, extendEnv: false });
    await bin(['sandbox', 'stop'], { home });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_\w+$/)]);
  });

  it('loops over a file in a script', async () => {
    const home = newHome();
    writeFileSync(join(home, 'phones.txt'), '+12025550101\n+12025550111\n');
    const env = { HOME: home, PATH: installIn(home) };
    const { exitCode, stdout } = await execa('/bin/sh', ['-c', loop], { cwd: home, env, extendEnv: false });
    await bin(['sandbox', 'stop'], { home });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^msg_sandbox_\w+\nmsg_sandbox_\w+$/)]);
  });
});
