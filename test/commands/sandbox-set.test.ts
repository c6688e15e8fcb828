import { describe, expect, it } from 'vitest';
import { eventNames } from '../../src/contract/events.ts';
import { paths } from '../sandbox/calls.ts';
import { receiver } from '../sandbox/receiver.ts';
import { local } from './sandbox-rig.ts';

describe('sandbox set', () => {
  it('shows all settings', async () => {
    const { run, sandbox } = await local();
    sandbox.webhooks.add({ url: 'http://127.0.0.1:9/' });
    const { stdout } = await run('sandbox set');
    expect(
      stdout.split('\n').map((line) => line.replaceAll(/(key|whk)_\w+/g, '$1_').replaceAll(/….{4}/g, '…')),
    ).toEqual([
      'plan     enterprise',
      'rate     unlimited',
      'monthly  unlimited  0 used in 2026-05',
      'off      none',
      'live     off',
      'key      sk_test_…  key_  active, full',
      'key      sk_live_…  key_  inactive, full',
      'webhook  http://127.0.0.1:9/  whk_  all events',
      'secret   …',
      '',
    ]);
  });

  it('shows how much of the limits is used', async () => {
    const { run } = await local();
    await run('sandbox set plan=growth');
    await run('send-template +12025550101 welcome --profile local');
    expect((await run('sandbox set')).stdout).toContain(
      'rate     300/m  1 used until 2026-05-01T12:01:00.000Z\nmonthly  15000  1 used in 2026-05\n',
    );
  });

  it('changes plan, limits and endpoints together, whatever their order', async () => {
    const { run } = await local();
    const { stdout } = await run('sandbox set off=campaigns,contacts rate=2/m monthly=1 plan=growth');
    expect(stdout).toBe(
      'plan     growth\nrate     2/m  0 used\nmonthly  1  0 used in 2026-05\noff      contacts,campaigns\n',
    );
    expect(await run('campaigns list --profile local')).toMatchObject({ code: 4 });
    expect(await run('templates list --profile local')).toMatchObject({ code: 0 });
    expect(await run('templates list --profile local --retries 0')).toMatchObject({ code: 7 });
    await run('sandbox set plan=scale');
    expect((await run('sandbox set -o csv --columns value --no-header')).stdout).toMatch(/^scale\n1000\/m\n50000\n/);
    await run('sandbox set off=none');
    expect(await run('campaigns list --profile local')).toMatchObject({ code: 0 });
  });

  it('creates a key with a scope; it is refused once revoked', async () => {
    const { run, sandbox } = await local();
    const [{ id, value }] = JSON.parse((await run('sandbox set key=new:read-only -o json')).stdout);
    const get = { method: 'GET', target: paths.contacts, headers: { authorization: `Bearer ${value}` }, body: '' };
    expect((await sandbox.answer(get)).status).toBe(200);
    expect((await run(`sandbox set key=revoke:${id}`)).stdout).toMatch(`  ${id}  revoked, read-only\n`);
    expect((await sandbox.answer(get)).status).toBe(401);
    expect((await run('sandbox set')).stdout).toContain(`${id}  revoked, read-only\n`);
    const { stdout } = await run(`sandbox log ${id}`);
    expect(stdout).toMatch(/^\S+ {2}GET {3}\S+ {2}200\n\S+ {2}GET {3}\S+ {2}401 {2}the key is revoked\n$/);
  });

  it.each([
    ['new', 'sandbox'],
    ['live', 'live'],
  ])('prints only the new key for key=%s', async (kind, mode) => {
    const { run, sandbox } = await local();
    const { stdout } = await run(`sandbox set key=${kind}`);
    expect(sandbox.keys.list().at(-1)).toMatchObject({ text: stdout.trim(), mode });
  });

  it('makes live keys valid; their use is announced', async () => {
    const { run } = await local();
    const send = 'send-template +12025550101 welcome --profile local --mode live';
    expect(await run(send)).toMatchObject({ code: 4, stderr: expect.stringContaining('sandbox set live=on') });
    await run('sandbox set live=on');
    const { code, stderr } = await run(send);
    expect(code).toBe(0);
    expect(stderr).toContain('LIVE');
    expect(stderr).toContain('simulated');
  });

  it('rotates the secret that sandbox env prints', async () => {
    const { run, sandbox } = await local();
    const before = sandbox.secret();
    const { stdout, stderr } = await run('sandbox set secret=new');
    expect(stdout).toMatch(/^secret {3}…\S{4}\n$/);
    expect(stderr).toBe('note: the old secret signs too until 2026-05-02T12:00:00.000Z\n');
    expect(sandbox.secret()).not.toBe(before);
    expect((await run('sandbox env --shell sh')).stdout).toContain(`BIZMSG_WEBHOOK_SECRET=${sandbox.secret()}`);
  });

  it('adds a webhook that then receives events, and removes it', async () => {
    const { run, sandbox } = await local();
    const { url, received } = await receiver();
    const { stdout: id } = await run(`sandbox set webhook=${url} -o id`);
    expect(id).toMatch(/^whk_\w+\n$/);
    sandbox.trigger('contact.created');
    await sandbox.settled();
    expect(received.map(({ type }) => type)).toEqual(['contact.created']);
    expect((await run(`sandbox set webhook=-${url}`)).stdout).toBe(`webhook  ${url}  ${id.trim()}  removed\n`);
    expect((await run('sandbox set')).stdout).not.toContain('webhook');
  });

  it('reports a known URL, and the earlier events to deliver', async () => {
    const { run, sandbox } = await local();
    const { url } = await receiver();
    sandbox.trigger('contact.created');
    const first = await run(`sandbox set webhook=${url} --events order.paid --catch-up`);
    expect(first).toMatchObject({ stdout: expect.stringMatching(/whk_\w+ {2}order.paid\n$/), stderr: '' });
    const again = await run(`sandbox set webhook=${url} --catch-up`);
    const note = `note: ${url} was registered already and has these settings now\n`;
    expect(again.stderr).toBe(`${note}note: earlier events to deliver: 1\n`);
  });

  it.each([
    ['webhook=3000/hooks', { url: 'http://localhost:3000/hooks' }],
    ['webhook=https://hooks.example.com/ --allow-external', { url: 'https://hooks.example.com/' }],
    ['webhook=9 --events message,order', { events: eventNames.filter((name) => /^(message|order)/.test(name)) }],
  ])('%s', async (words, webhook) => {
    const { run, sandbox } = await local();
    expect((await run(`sandbox set ${words}`)).code).toBe(0);
    expect(sandbox.webhooks.list()).toMatchObject([webhook]);
  });

  it.each([
    ['plan=gold', 2, 'is not one of starter, growth'],
    ['plan', 2, 'plan needs a value'],
    ['off=flows', 2, '"flows" is not one of send-template, contacts'],
    ['key=new:read', 2, 'is not one of new, new:read-only'],
    ['key=revoke:key_1', 5, 'see bizmsg sandbox set\n'],
    ['live=maybe', 2, 'live cannot be "maybe"\n  use live=on\n'],
    ['secret=old', 2, 'use secret=new\n'],
    ['webhook=9 --events mesage', 2, 'did you mean message?'],
    ['webhook=https://hooks.example.com/', 2, 'is not this machine: pass --allow-external to send events there'],
    ['webhook=-whk_none', 5, 'see bizmsg sandbox set\n'],
    ['plan=growth --catch-up', 2, 'are for a new webhook'],
  ])('%s exits %i', async (words, exit, reason) => {
    const { run, sandbox } = await local();
    const { code, stdout, stderr } = await run(`sandbox set ${words}`);
    expect([code, stdout, sandbox.webhooks.list(), sandbox.plan().name]).toEqual([exit, '', [], 'enterprise']);
    expect(stderr).toContain(reason);
  });
});
