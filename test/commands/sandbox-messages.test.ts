import { describe, expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { bearing, order, paths, start } from '../sandbox/calls.ts';
import { receiver } from '../sandbox/receiver.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

async function local() {
  const home = newHome();
  const sandbox = await serveLocal(home, { clock: manualClock(start) });
  const run = (line: string, options: Partial<CliOptions> = {}) => cli(line.split(' '), { home, ...options });
  const send = async (change: object = {}): Promise<string> => {
    const body = JSON.stringify({ ...order, ...change });
    const headers = bearing(sandbox.keys.sandbox);
    const reply = await sandbox.answer({ method: 'POST', target: paths.send, headers, body });
    return JSON.parse(reply.body).message_id;
  };
  return { sandbox, run, send };
}

const text = 'Hello Ada, your order A-1042 is on its way.';

describe('sandbox messages', () => {
  it('lists messages with the text that the recipient reads, the newest last', async () => {
    const { sandbox, run, send } = await local();
    const ids = [await send(), await send({ to: '+12025550102' })];
    await sandbox.time.advance(500);
    const { stdout } = await run('sandbox messages');
    expect(stdout).toBe(
      [
        'sent_at\tto\ttemplate\tstatus\ttext\tid\tparams\tmode',
        `2026-05-01T12:00:00.000Z\t+12025550142\torder_update\tdelivered\t${text}\t${ids[0]}\t["Ada","A-1042"]\tsandbox`,
        `2026-05-01T12:00:00.000Z\t+12025550102\torder_update\tfailed\t${text}\t${ids[1]}\t["Ada","A-1042"]\tsandbox`,
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['', [0, 1, 2]],
    ['--type failed', [1]],
    ['--type accepted', [0, 2]],
    ['--type failed,accepted', [0, 1, 2]],
    ['--limit 2', [1, 2]],
    ['--limit 0', []],
    ['--type accepted --limit 1', [2]],
  ])('shows only those that %j asks for', async (words, shown) => {
    const { sandbox, run, send } = await local();
    const ids = [await send(), await send({ to: '+12025550102' })];
    sandbox.trigger('message.failed', { message: ids[1] });
    ids.push(await send({ template: 'welcome', params: [] }));
    const { code, stdout } = await run(`sandbox messages -o id ${words}`.trim());
    expect([code, stdout]).toEqual([0, shown.map((at) => `${ids[at]}\n`).join('')]);
  });

  it('notes that there are no messages', async () => {
    const { run } = await local();
    expect((await run('sandbox messages', { terminal: 80 })).stdout).toBe('No messages\n');
    expect((await run('sandbox messages')).stdout).toBe('');
    expect((await run('sandbox messages -o json')).stdout).toBe('[]\n');
  });

  it('shows the last 50 on a terminal, with a note; all elsewhere', async () => {
    const { run, send } = await local();
    const ids = [];
    for (let number = 0; number < 60; number++) ids.push(await send());
    const shown = await run('sandbox messages -o id --no-color', { terminal: 80 });
    expect(shown.stdout).toBe(ids.slice(10).join('\n').concat('\n'));
    expect(shown.stderr).toBe('note: showing the 50 newest; --limit shows more\n');
    expect((await run('sandbox messages -o id')).stdout).toBe(ids.join('\n').concat('\n'));
    expect(await run('sandbox messages --limit 51 -o id', { terminal: 80 })).toMatchObject({ stderr: '' });
  });

  it('has room for the text on a terminal of 80 columns', async () => {
    const { run, send } = await local();
    const id = await send();
    await send();
    const { stdout } = await run('sandbox messages --no-color', { terminal: 80 });
    expect(stdout).toMatch(new RegExp(`\\+12025550142 {2}accepted {2}Hello Ada.*…  ${id}\n`));
  });

  it('cleans what a message says before it reaches a terminal', async () => {
    const { run, send } = await local();
    const id = await send({ params: ['\u001b[31mAda', 'A'] });
    const { stdout } = await run(`sandbox messages ${id} --no-color`, { terminal: 80 });
    expect(stdout).toContain('Hello Ada, your order A');
  });
});

describe('sandbox messages ID', () => {
  it('shows the request, the receipts, and the events with their deliveries', async () => {
    const { sandbox, run, send } = await local();
    const { url } = await receiver();
    sandbox.webhooks.add({ url });
    const id = await send();
    await sandbox.time.advance(500);
    const { code, stdout } = await run(`sandbox messages ${id}`);
    const [head, shown, blank, request, delivered, attempt, due] = stdout.split('\n');
    expect([code, head, shown, blank]).toEqual([0, `${id}  +12025550142  order_update  delivered`, text, '']);
    expect(request).toBe('2026-05-01T12:00:00.000Z  POST /api/public/messages/send-template  200');
    expect(delivered).toMatch(/^2026-05-01T12:00:00\.\d{3}Z {2}message\.delivered {2}evt_\w+$/);
    expect(attempt).toMatch(/^2026-05-01T12:00:00\.\d{3}Z {2}→ http:\/\/127\.0\.0\.1:\d+\/\S* {2}200 in \d+ ms$/);
    expect(due).toMatch(/^2026-05-01T12:00:0\d\.\d{3}Z {2}message\.read is due$/);
  });

  it('says that no webhook received an event, if one is registered for others', async () => {
    const { sandbox, run, send } = await local();
    sandbox.webhooks.add({ url: (await receiver()).url, events: ['order.paid'] });
    const id = await send();
    await sandbox.time.advance(500);
    expect((await run(`sandbox messages ${id}`)).stdout).toMatch(/Z {2}→ no webhook received it\n/);
  });

  it('is one JSON object with ISO times', async () => {
    const { sandbox, run, send } = await local();
    const id = await send({ to: '+12025550102' });
    await sandbox.time.advance(500);
    const [event] = sandbox.events();
    expect(JSON.parse((await run(`sandbox messages ${id} -o json`)).stdout)).toMatchObject({
      id,
      sent_at: '2026-05-01T12:00:00.000Z',
      status: 'failed',
      text,
      request: { at: '2026-05-01T12:00:00.000Z', method: 'POST', path: paths.send, status: 200, message_id: id },
      receipts: [{ type: 'message.failed', at: expect.stringMatching(/^2026.*Z$/), event: event?.id }],
      events: [{ id: event?.id, data: { reason: { code: 'undeliverable' } }, deliveries: [{ state: 'queued' }] }],
    });
  });

  it('shows the failed answer to a request that did send', async () => {
    const { sandbox, run, send } = await local();
    sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status: 500 }, after: true });
    await send();
    const { stdout } = await run('sandbox messages -o id --limit 1');
    const story = JSON.parse((await run(`sandbox messages ${stdout.trim()} -o json`)).stdout);
    expect(story.request).toMatchObject({ status: 500, fault: expect.stringMatching(/^flt_/) });
  });

  it('has no request for a message that a trigger sent', async () => {
    const { sandbox, run } = await local();
    sandbox.trigger('message.read', { to: '+12025550101' });
    const [message] = sandbox.messages();
    const { stdout } = await run(`sandbox messages ${message?.id} -o json`);
    expect(JSON.parse(stdout)).toMatchObject({ request: null, status: 'read', events: [{}, {}] });
  });

  it.each([
    ['sandbox messages msg_1', 5, 'see bizmsg sandbox messages\n'],
    ['sandbox messages msg_1 --type read', 2, '[id] excludes --type'],
    ['sandbox messages --type sent', 2, '--type: "sent" is not one of accepted, delivered, read, failed'],
  ])('%s is exit %i', async (line, exit, reason) => {
    const { run } = await local();
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(reason);
  });
});

describe('sandbox requests', () => {
  it('--limit shows the newest, with the message sent', async () => {
    const { run, send } = await local();
    const ids = [await send(), await send(), await send()];
    const { stdout } = await run(`sandbox requests --limit 2 --columns message_id --no-header`);
    expect(stdout).toBe(`${ids[1]}\n${ids[2]}\n`);
  });
});

describe('sandbox requests -f', () => {
  it.each([
    ['', 10],
    [' --limit 3', 3],
  ])('begins with the newest%s: %i', async (words, count) => {
    const { run, send } = await local();
    const ids = [];
    for (let number = 0; number < 12; number++) ids.push(await send());
    const line = `sandbox requests -f --columns message_id -o csv --no-header${words}`;
    const { code, stdout } = await run(line, { signal: AbortSignal.abort('SIGINT') });
    expect([code, stdout]).toEqual([0, ids.slice(-count).join('\n').concat('\n')]);
  });

  it('prints a line for each on a terminal, with the local time', async () => {
    const { run, send } = await local();
    const id = await send();
    const { stdout } = await run('sandbox requests -f --no-color', {
      signal: AbortSignal.abort('SIGINT'),
      terminal: 120,
    });
    expect(stdout).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:00\\.000  POST  /api/public/messages/send-template  200  ${id}\n$`),
    );
  });
});

it('sandbox requests --bytes shows each request as it was sent, also on a terminal', async () => {
  const { run, send } = await local();
  await send();
  const { stdout } = await run('sandbox requests --bytes --no-color', { terminal: 80 });
  expect(stdout).toContain('\n> POST /api/public/messages/send-template\n');
  expect(stdout).toContain('\n< 200\n');
});
