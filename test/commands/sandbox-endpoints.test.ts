import { describe, expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { paths } from '../sandbox/calls.ts';
import { receiver } from '../sandbox/receiver.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

async function local() {
  const home = newHome();
  const sandbox = await serveLocal(home, { clock: manualClock(Date.UTC(2026, 4, 1, 12)) });
  const run = (line: string, options: Partial<CliOptions> = {}) => cli(line.split(' '), { home, ...options });
  const create = async (phone: string) => {
    const headers = { authorization: `Bearer ${sandbox.keys.sandbox}`, 'content-type': 'application/json' };
    await sandbox.answer({ method: 'POST', target: paths.contacts, headers, body: JSON.stringify({ phone }) });
    await sandbox.settled();
  };
  return { sandbox, run, create };
}

describe('sandbox endpoints', () => {
  it('adds a URL that then receives events, lists it and removes it', async () => {
    const { run, create } = await local();
    const { url, received } = await receiver();
    const { stdout: id } = await run(`sandbox endpoints add ${url}`);
    expect(id).toMatch(/^whk_\w+\n$/);
    await create('+12025550142');
    expect(received.map(({ type }) => type)).toEqual(['contact.created']);
    const listed = await run('sandbox endpoints list --columns id,url,events,secret,state --no-header');
    expect(listed.stdout).toBe(`${id.trim()}\t${url}\tall events\tsandbox\tactive\n`);
    expect((await run(`sandbox endpoints remove ${url}`)).stdout).toBe(`Removed ${id.trim()}: ${url}\n`);
    expect((await run('sandbox endpoints list', { terminal: 80 })).stdout).toContain('No webhooks');
  });

  it('reports a known URL, and the earlier events to deliver', async () => {
    const { run, create } = await local();
    const { url } = await receiver();
    await create('+12025550142');
    const first = await run(`sandbox endpoints add ${url} --events order.paid --catch-up --no-color`, { terminal: 80 });
    expect(first.stdout).toMatch(/^Added whk_\w+: order.paid to http:\S+\n$/);
    const again = await run(`sandbox endpoints add ${url} --catch-up --no-color`, { terminal: 80 });
    expect(again.stdout).toMatch(/^Registered whk_\w+: all events to http:\S+\nEarlier events to deliver: 1\n$/);
    expect(again.stderr).toContain('note: this URL was already registered: now all events\n');
  });

  it.each([
    ['3000/hooks', 'http://localhost:3000/hooks'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
  ])('reads the address %s as listeners do', async (typed, url) => {
    const { run, sandbox } = await local();
    expect((await run(`sandbox endpoints add ${typed}`)).code).toBe(0);
    expect(sandbox.webhooks.list().map((one) => one.url)).toEqual([url]);
  });

  it('reports the changes to a known URL', async () => {
    const { run } = await local();
    const add = 'sandbox endpoints add http://127.0.0.1:9/';
    await run(`${add} --secret-stdin --events order.paid`, { stdin: secret });
    const changes = async (line: string) => (await run(line)).stderr.replace(/.*registered: /, '');
    expect(await changes(add)).toBe('its own secret was removed; now all events\n');
    expect(await changes(add)).toBe('nothing changed\n');
  });

  it.each([
    ['message', ['message.received', 'message.delivered', 'message.read', 'message.failed']],
    ['message.read,order', ['message.read', 'order.paid']],
    ['order.paid,order.paid', ['order.paid']],
  ])('accepts names and families of events: %s', async (names, events) => {
    const { run, sandbox } = await local();
    await run(`sandbox endpoints add http://127.0.0.1:9/ --events ${names}`);
    expect(sandbox.webhooks.list()).toMatchObject([{ events }]);
  });

  it.each([
    ['add http://127.0.0.1:9/ --events mesage', 'did you mean message?'],
    ['add http://127.0.0.1:9/ --events message.raed', 'did you mean message.read?'],
    ['add http://127.0.0.1:9/ --events xyz', 'use message.received, '],
    ['add', '<url> is missing'],
    ['rotate whk_1', '--show-secret'],
  ])('%s is exit 2', async (line, reason) => {
    const { run, sandbox } = await local();
    const { code, stdout, stderr } = await run(`sandbox endpoints ${line}`);
    expect([code, stdout, sandbox.webhooks.list()]).toEqual([2, '', []]);
    expect(stderr).toContain(reason);
  });

  it.each([
    ['add https://hooks.example.com/', 'is not this machine: pass --allow-external to send events there'],
    ['add http://user:pass@127.0.0.1/', 'must not contain a user or password'],
  ])('%s is refused', async (line, reason) => {
    const { run } = await local();
    const { code, stdout, stderr } = await run(`sandbox endpoints ${line}`);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
  });

  it('allows another machine with --allow-external', async () => {
    const { run } = await local();
    expect(await run('sandbox endpoints add https://hooks.example.com/ --allow-external')).toMatchObject({ code: 0 });
  });

  it('reads a secret from stdin, and never prints it', async () => {
    const { run, create } = await local();
    const { url, verify } = await receiver();
    const added = await run(`sandbox endpoints add ${url} --secret-stdin`, { stdin: `${secret}\n` });
    const listed = await run('sandbox endpoints list -o json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ secret: 'own' }]);
    expect([added, listed].filter(({ stdout, stderr }) => (stdout + stderr).includes(secret))).toEqual([]);
    await create('+12025550142');
    verify(secret);
  });

  it('rotates the secret that sandbox env prints', async () => {
    const { run, sandbox } = await local();
    const before = sandbox.secret();
    const { stdout } = await run('sandbox endpoints rotate');
    expect(stdout).toBe('Rotated the secret of the sandbox: the old one signs too until 2026-05-02T12:00:00.000Z\n');
    expect(sandbox.secret()).not.toBe(before);
    expect((await run('sandbox env --shell sh')).stdout).toContain(`BIZMSG_WEBHOOK_SECRET=${sandbox.secret()}`);
  });

  it('rotates the secret of one webhook, and prints it with --show-secret', async () => {
    const { run, create } = await local();
    const { url, verify } = await receiver();
    const { stdout: id } = await run(`sandbox endpoints add ${url}`);
    const { stdout } = await run(
      `sandbox endpoints rotate ${id.trim()} --show-secret -o tsv --columns secret --no-header`,
    );
    expect(stdout).toMatch(/^whsec_\S+\n$/);
    await create('+12025550142');
    verify(stdout.trim());
  });
});

describe('sandbox endpoints deliveries', () => {
  it('lists deliveries and queued events', async () => {
    const { run, create } = await local();
    await create('+12025550141');
    const { url } = await receiver((response) => response.writeHead(503).end());
    await run(`sandbox endpoints add ${url}`);
    await create('+12025550142');
    const columns = '--columns type,url,state,attempts,last --no-header';
    const rows = ['contact.created\t\tqueued\t0\t\n', `contact.created\t${url}\twaiting\t1\t503\n`];
    expect((await run(`sandbox endpoints deliveries ${columns}`)).stdout).toBe(rows.join(''));
    expect((await run(`sandbox endpoints deliveries --limit 1 ${columns}`)).stdout).toBe(rows[1]);
    const header = 'at\tid\tevent\ttype\turl\tstate\tattempts\tlast\tforwarded\tnext_at\n';
    expect((await run('sandbox endpoints deliveries')).stdout.startsWith(header)).toBe(true);
    expect((await run('sandbox status -o tsv --columns queued,waiting --no-header')).stdout).toBe('1\t1\n');
  });

  it('shows each attempt with request and response, without control characters', async () => {
    const { run, create, sandbox } = await local();
    const { url, received } = await receiver((response) =>
      response.writeHead(500, { 'x-why': 'tired' }).end('no \u001b[31mroom\u0007\nhere'),
    );
    await run(`sandbox endpoints add ${url}`);
    await create('+12025550142');
    const [row] = sandbox.deliveries();
    const { stdout } = await run(`sandbox endpoints deliveries ${row?.id}`, { terminal: 200 });
    expect(stdout).toContain(`${row?.id}  contact.created  ${url}  waiting  next at ${row?.next_at}\n`);
    expect(stdout).toMatch(/\nattempt 1 {2}2026-05-01T12:00:00.000Z {2}\d+ ms\n> POST http/);
    expect(stdout).toContain(`\n> webhook-id: ${row?.event}\n`);
    expect(stdout).toContain(`\n>\n> ${received[0]?.body}\n`);
    expect(stdout).toContain('\n< 500\n');
    expect(stdout).toContain('\n< x-why: tired\n');
    expect(stdout).toContain('\n<\n< no room here\n');
    expect((await run(`sandbox endpoints deliveries ${row?.event}`, { terminal: 200 })).stdout).toBe(stdout);
    expect((await run(`sandbox endpoints deliveries ${row?.id}`)).stdout).toBe(stdout);
    expect(JSON.parse((await run(`sandbox endpoints deliveries ${row?.id} -o json`)).stdout)).toEqual({
      deliveries: sandbox.delivery(row?.id ?? ''),
    });
  });

  it('shows why an attempt got no response', async () => {
    const { run, create, sandbox } = await local();
    const { url } = await receiver((response) => response.socket?.destroy());
    await run(`sandbox endpoints add ${url}`);
    await create('+12025550142');
    const { stdout } = await run(`sandbox endpoints deliveries ${sandbox.deliveries()[0]?.id}`, { terminal: 200 });
    expect(stdout).toContain('\n! closed the connection without an answer\n');
  });

  it.each([
    ['sandbox endpoints deliveries dlv_1 --limit 1', 2, '[id] excludes --limit'],
    ['sandbox endpoints deliveries dlv_1', 5, 'see bizmsg sandbox endpoints deliveries\n'],
    ['sandbox endpoints remove whk_none', 5, 'see bizmsg sandbox endpoints list\n'],
    ['sandbox endpoints rotate whk_none --show-secret', 5, 'see bizmsg sandbox endpoints list\n'],
    ['sandbox fault clear flt_1', 5, 'see bizmsg sandbox fault list\n'],
    ['sandbox keys revoke key_1', 5, 'see bizmsg sandbox keys list\n'],
    ['sandbox endpoints redeliver', 2, 'pass an id, or --failed'],
    ['sandbox endpoints redeliver dlv_1 --failed', 2, 'exclude each other'],
    [
      'sandbox endpoints redeliver dlv_1',
      5,
      'there is no delivery or event with this id\n  see bizmsg sandbox endpoints deliveries\n',
    ],
  ])('%s is exit %i', async (line, exit, reason) => {
    const { run } = await local();
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(reason);
  });
});

describe('sandbox endpoints redeliver', () => {
  it('redelivers one event, and all that failed', async () => {
    const { run, create, sandbox } = await local();
    let status = 500;
    const { url, received } = await receiver((response) => response.writeHead(status).end());
    await run(`sandbox endpoints add ${url}`);
    await create('+12025550142');
    await run('sandbox clock advance 5d');
    expect((await run('sandbox endpoints deliveries --columns state,attempts --no-header')).stdout).toBe('dead\t10\n');
    status = 200;
    expect((await run('sandbox endpoints redeliver --failed')).stdout).toBe('Delivering again: 1\n');
    await sandbox.settled();
    expect((await run(`sandbox endpoints redeliver ${received[0]?.id}`)).stdout).toBe('Delivering again: 1\n');
    await sandbox.settled();
    expect([received.length, sandbox.deliveries()[0]?.state]).toEqual([12, 'delivered']);
    expect((await run('sandbox endpoints redeliver --failed')).stdout).toEqual('Nothing to deliver again\n');
  });

  it('reports the deliveries it skips, and why', async () => {
    const { run, create, sandbox } = await local();
    const statuses = [500, 410];
    const { url } = await receiver((response) => response.writeHead(statuses.shift() ?? 500).end());
    await run(`sandbox endpoints add ${url}`);
    await create('+12025550142');
    expect(await run('sandbox endpoints redeliver --failed')).toMatchObject({
      stdout: 'Nothing to deliver again\n',
      stderr: 'note: 1 is waiting for the next attempt: pass the id to deliver now\n',
    });
    await create('+12025550143');
    const disabled = 'note: 2 are skipped because the webhook is disabled: add it again\n';
    expect((await run('sandbox endpoints redeliver --failed')).stderr).toBe(disabled);
    sandbox.webhooks.remove(url);
    const removed = 'note: 2 are skipped because the webhook was removed: redeliver the event\n';
    expect((await run('sandbox endpoints redeliver --failed')).stderr).toBe(removed);
  });
});
