import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/sandbox/state/ledger.ts';
import { openStore } from '../../src/sandbox/state/store.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

async function local() {
  const home = newHome();
  const sandbox = await serveLocal(home);
  const run = (line: string, stdin?: string) => cli(line.split(' '), { home, ...(stdin !== undefined && { stdin }) });
  return { home, sandbox, run };
}

describe('sandbox reset', () => {
  it('says what is there then', async () => {
    const { run, sandbox } = await local();
    sandbox.trigger('message.received');
    sandbox.trigger('message.delivered', { to: '+1' });
    const { code, stdout } = await run('sandbox reset messages');
    expect([
      code,
      stdout.startsWith('Reset messages: 6 contacts, 7 templates, 3 campaigns, 0 messages, 3 events'),
    ]).toEqual([0, true]);
    expect(JSON.parse((await run('sandbox reset all -o json')).stdout)).toMatchObject({ reset: 'all', contacts: 5 });
    expect(sandbox.counts()).toMatchObject({ contacts: 5, messages: 0, events: 0 });
  });

  it('says one of what there is one of', async () => {
    const { run } = await local();
    const one = { contacts: [{ phone: '+12025550142' }] };
    expect((await run('sandbox seed -', JSON.stringify(one))).stdout).toBe(
      'Took 1 contact, 0 templates, 0 campaigns\n',
    );
  });

  it.each([
    ['sandbox reset', '<what> is missing\n  one of messages, contacts, logs, all'],
    ['sandbox reset everything', 'is not one of messages, contacts, logs, all'],
  ])('%s is exit 2, and lets go of nothing', async (line, message) => {
    const { run, sandbox } = await local();
    sandbox.trigger('message.received');
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(sandbox.counts()).toMatchObject({ contacts: 6, events: 2 });
  });
});

describe('sandbox export and seed', () => {
  it('carry the contents from one sandbox to another', async () => {
    const [from, to] = [await local(), await local()];
    from.sandbox.seed({
      contacts: [{ phone: '+12025550142', name: 'Zoë', attributes: { nested: { deep: [1, null] } } }],
      templates: [{ name: 'mine', body: 'Hi {{1}}' }],
      campaigns: [{ name: 'Mine', template: 'mine' }],
    });
    const { stdout } = await from.run('sandbox export');
    expect(await to.run('sandbox seed -', stdout)).toEqual({
      code: 0,
      stdout: 'Took 6 contacts, 8 templates, 4 campaigns\n',
      stderr: '',
    });
    expect((await to.run('sandbox export')).stdout).toBe(stdout);
  });

  it('leave out what was sent and what happened, and say so', async () => {
    const [from, to] = [await local(), await local()];
    from.sandbox.trigger('message.delivered', { to: '+1' });
    const { stdout } = await from.run('sandbox export');
    expect(JSON.parse(stdout)).toMatchObject({
      messages: [{ status: 'delivered' }],
      events: [{ type: 'message.delivered' }],
    });
    expect(await to.run('sandbox seed -', stdout)).toMatchObject({
      code: 0,
      stderr: 'note: left out, since a sandbox makes its own: messages, events\n',
    });
    expect(to.sandbox.counts()).toMatchObject({ messages: 0, events: 0 });
  });

  it('read a file', async () => {
    const { run, home, sandbox } = await local();
    const file = join(home, 'contents.json');
    writeFileSync(file, '{"contacts":[{"phone":"+12025550142","name":"Ada"}]}');
    const { stdout } = await run(`sandbox seed ${file} -o json`);
    expect(JSON.parse(stdout)).toEqual({ contacts: 1, templates: 0, campaigns: 0 });
    expect(sandbox.contacts().at(-1)).toMatchObject({ name: 'Ada' });
  });

  it('name every bad entry with its place, and take nothing', async () => {
    const { run, sandbox } = await local();
    const given = '{"contacts":[{"phone":"1"},{"phone":"+12"},{"phon":"+1"}],"templates":[{"name":"x"}]}';
    const { code, stdout, stderr } = await run('sandbox seed -', given);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      [
        'error: nothing of stdin was taken',
        '  /contacts/0/phone must be "+" followed by digits',
        '  /contacts/2/phon is not known; did you mean "phone"?',
        '  /templates/0/body is missing\n',
      ].join('\n'),
    );
    expect(sandbox.counts()).toMatchObject({ contacts: 5, templates: 7 });
  });

  it.each([
    ['sandbox seed', '', '<file> is missing'],
    ['sandbox seed none.json', '', 'none.json cannot be read'],
    ['sandbox seed -', '{', 'stdin is not JSON'],
    ['sandbox seed -', '[]', 'an object with contacts, templates, campaigns'],
  ])('%s with %j is exit 2', async (line, stdin, message) => {
    const { code, stdout, stderr } = await (await local()).run(line, stdin);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('refuse an id of another record, which only the sandbox knows', async () => {
    const { run } = await local();
    const given = '{"contacts":[{"phone":"+12025550142","id":"con_sandbox_1"}]}';
    expect(await run('sandbox seed -', given)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('/contacts/0/id is that of +12025550111'),
    });
  });

  it('show the contents on a terminal as JSON that can be read', async () => {
    const { home } = await local();
    const { stdout } = await cli(['sandbox', 'export'], { home, terminal: 80 });
    expect(stdout).toContain('\n      "name": "Grace Hopper",\n');
  });
});

describe('sandbox start --seed-file', () => {
  const started = async (text: string) => {
    const home = newHome();
    const [data, file] = [join(home, 'data'), join(home, 'contents.json')];
    writeFileSync(file, text);
    const words = ['--data', data, '--seed-file', file, '--port', '0', '--idle', '1ms'];
    return { ran: await cli(['sandbox', 'start', ...words], { home }), data };
  };

  it('fills it before it is ready', async () => {
    const { ran, data } = await started('{"contacts":[{"phone":"+12025550142"}],"events":[{}]}');
    expect(ran).toMatchObject({ code: 0, stderr: 'note: left out, since a sandbox makes its own: events\n' });
    const { contacts } = openLedger(openStore(data, { later: () => () => {} })).state;
    expect(contacts.list.at(-1)).toMatchObject({ phone: '+12025550142' });
  });

  it('is exit 2 when it cannot be read, and starts nothing', async () => {
    const { ran } = await started('{"contacts":[{}]}');
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('/contacts/0/phone is missing') });
  });

  it('is exit 3 when the sandbox refuses it, and ends', async () => {
    const { ran } = await started('{"contacts":[{"phone":"+1","id":"con_sandbox_1"}]}');
    expect(ran).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('is that of +12025550111') });
  });
});
