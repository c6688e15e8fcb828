import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { local } from './sandbox-rig.ts';

describe('sandbox reset', () => {
  it('prints the remaining counts', async () => {
    const { run, sandbox } = await local();
    sandbox.trigger('message.received');
    sandbox.trigger('message.delivered', { to: '+1' });
    const { code, stdout } = await run('sandbox reset messages');
    const counts = '6 contacts, 7 templates, 3 campaigns, 0 messages, 3 events';
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Reset messages: ${counts}`)]);
    expect(JSON.parse((await run('sandbox reset all -o json')).stdout)).toMatchObject({ reset: 'all', contacts: 5 });
    expect(sandbox.counts()).toMatchObject({ contacts: 5, messages: 0, events: 0 });
  });

  it.each([
    ['sandbox reset', '<what> is missing\n  write bizmsg sandbox reset <what>\n'],
    ['sandbox reset everything', 'is not one of messages, contacts, logs, all'],
  ])('%s exits 2 and deletes nothing', async (line, message) => {
    const { run, sandbox } = await local();
    sandbox.trigger('message.received');
    expect(await run(line)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(sandbox.counts()).toMatchObject({ contacts: 6, events: 2 });
  });
});

describe('sandbox seed', () => {
  it('reads a file', async () => {
    const { run, home, sandbox } = await local();
    const file = join(home, 'contents.json');
    writeFileSync(file, '{"contacts":[{"phone":"+12025550142","name":"Ada"}]}');
    const { stdout } = await run(`sandbox seed ${file} -o json`);
    expect(JSON.parse(stdout)).toEqual({ contacts: 1, templates: 0, campaigns: 0 });
    expect(sandbox.contacts().at(-1)).toMatchObject({ name: 'Ada' });
  });

  it('reports an invalid record, and loads nothing', async () => {
    const { run, sandbox } = await local();
    const stdin = '{"contacts":[{"phone":"+12"},{"phon":"+1"}],"templates":[{"name":"x","body":"y"}]}';
    const { code, stdout, stderr } = await run('sandbox seed -', { stdin });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe('error: nothing was loaded from stdin\n  /contacts/1/phon is unknown; did you mean "phone"?\n');
    expect(sandbox.counts()).toMatchObject({ contacts: 5, templates: 7 });
  });

  it.each([
    ['sandbox seed', '', '<file> is missing'],
    ['sandbox seed none.json', '', 'none.json" cannot be read: there is no such file'],
    ['sandbox seed -', '{', 'stdin is not JSON'],
    ['sandbox seed -', '{"templates":[{"name":"x","body":"{{1}} {{3}}"}]}', 'body has {{3}} without a variable'],
  ])('%s with %j exits 2', async (line, stdin, message) => {
    const stderr: unknown = expect.stringContaining(message);
    expect(await (await local()).run(line, { stdin })).toMatchObject({ code: 2, stdout: '', stderr });
  });
});

it('sandbox start --seed-file loads the file before it is ready', async () => {
  const home = newHome();
  const file = join(home, 'contents.json');
  writeFileSync(file, '{"contacts":[{"phone":"+12025550142"}]}');
  const line = ['sandbox', 'start', '--seed-file', file, '--port', '0', '--idle', '1ms'];
  expect(await cli(line, { home })).toMatchObject({ code: 0, stderr: '' });
  const { contacts } = JSON.parse(readFileSync(join(home, '.local/state/bizmsg/sandbox/state.json'), 'utf8'));
  expect(contacts.list.at(-1)).toMatchObject({ phone: '+12025550142' });
});
