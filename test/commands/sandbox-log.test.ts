import { describe, expect, it } from 'vitest';
import { bearing, order, paths } from '../sandbox/calls.ts';
import { receiver } from '../sandbox/receiver.ts';
import { startCli } from '../support/cli.ts';
import { objects } from '../support/json-lines.ts';
import { local } from './sandbox-rig.ts';

async function open() {
  const { home, sandbox, run } = await local();
  const send = async (change: object = {}): Promise<string> => {
    const body = JSON.stringify({ ...order, ...change });
    const headers = bearing(sandbox.keys.sandbox);
    const reply = await sandbox.answer({ method: 'POST', target: paths.send, headers, body });
    await sandbox.settled();
    return JSON.parse(reply.body).message_id;
  };
  return { home, sandbox, run, send };
}

const text = 'Hello Ada, your order A-1042 is on its way.';
const at = '2026-05-01T12:00:00.000Z';

describe('sandbox log', () => {
  it('lists requests, messages and events in order', async () => {
    const { sandbox, run, send } = await open();
    const id = await send();
    await sandbox.time.advance(500);
    const [event] = sandbox.events();
    const { stdout } = await run('sandbox log');
    expect(stdout.split('\n')).toEqual([
      'at\ttype\tabout\tstatus\ttext\tid',
      `${at}\trequest\tPOST /messages/send-template\t200\t\t${id}`,
      `${at}\tmessage\t+12025550142\tdelivered\t${text}\t${id}`,
      expect.stringMatching(`^2026-05-01T12:00:00.\\d+Z\tevent\tmessage.delivered\tqueued\t\t${event?.id}$`),
      '',
    ]);
  });

  it('prints each record once with -f', async () => {
    const { home, run, send } = await open();
    const end = new AbortController();
    const argv = ['sandbox', 'log', '-f', '--type', 'requests', '-o', 'ndjson'];
    const following = startCli(argv, { home, signal: end.signal });
    const ids = () => objects(following.stdout()).map(({ id }) => id);
    for (let count = 1; count <= 3; count++) {
      await send();
      await expect.poll(() => ids().length).toBeGreaterThanOrEqual(count);
    }
    end.abort('SIGINT');
    await following.ended;
    const all = objects((await run('sandbox log --type requests -o ndjson')).stdout);
    expect(ids()).toEqual(all.map(({ id }) => id));
  });

  it('lists refused requests, with the reason', async () => {
    const { run, sandbox } = await open();
    await sandbox.answer({ method: 'GET', target: '/api/public/contacts', headers: {}, body: '' });
    await run('contacts list --profile local');
    expect(JSON.parse((await run('sandbox log --type requests -o json')).stdout)).toMatchObject([
      { method: 'GET', path: '/api/public/contacts', status: 401, key: null, detail: /the key is missing/ },
      { method: 'GET', path: '/api/public/contacts', status: 200, key: expect.stringMatching(/^key_/) },
    ]);
  });

  it.each(['messages', 'requests', 'events', 'deliveries'])('shows the newest %s with --limit', async (type) => {
    const { sandbox, run, send } = await open();
    for (let number = 0; number < 3; number++) await send();
    await sandbox.time.advance(500);
    const all = (await run(`sandbox log --type ${type} -o ndjson`)).stdout.split('\n');
    const { stdout } = await run(`sandbox log --type ${type} -o ndjson --limit 2`);
    expect([all.length, stdout]).toEqual([4, all.slice(1).join('\n')]);
    expect((await run('sandbox log --limit 1 -o ndjson')).stdout.split('\n')).toHaveLength(2);
  });

  it('selects with --since by the clock of the sandbox', async () => {
    const { sandbox, run, send } = await open();
    await send();
    await sandbox.time.advance(10 * 60_000);
    const id = await send();
    for (const since of ['5m', '2026-05-01T12:05:00Z'])
      expect((await run(`sandbox log --type messages -o id --since ${since}`)).stdout).toBe(`${id}\n`);
  });

  it('says that there is nothing yet', async () => {
    const { run } = await open();
    expect((await run('sandbox log', { terminal: 80 })).stdout).toBe('Nothing yet\n');
    expect((await run('sandbox log -o json')).stdout).toBe('[]\n');
  });

  it.each([
    ['sandbox log --type sent', 2, '--type: "sent" is not one of messages, requests, events, deliveries'],
    ['sandbox log msg_1 --type events', 2, '[id] excludes --type'],
    ['sandbox log msg_1', 5, 'see bizmsg sandbox log\n'],
    ['sandbox log dlv_1', 5, 'see bizmsg sandbox log --type deliveries\n'],
    ['sandbox log nonsense', 5, '"nonsense" is not the id of a message, event, delivery or key\n'],
    ['sandbox log key_1', 5, 'see bizmsg sandbox set\n'],
    ['sandbox log --redeliver dlv_1', 5, 'there is no delivery or event with this id\n'],
    ['sandbox log -f -o json', 2, '--follow excludes -o json'],
  ])('%s exits %i', async (line, exit, reason) => {
    const { run } = await open();
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(reason);
  });
});

describe('sandbox log -f', () => {
  const ended = { signal: AbortSignal.abort('SIGINT') };

  it('begins with the ten newest', async () => {
    const { run, send } = await open();
    const ids = [];
    for (let number = 0; number < 12; number++) ids.push(await send());
    const line = 'sandbox log --type requests -f --columns message_id -o csv --no-header';
    expect((await run(line, ended)).stdout).toBe(ids.slice(-10).join('\n').concat('\n'));
  });

  it('prints a line for each on a terminal, with the local time', async () => {
    const { run, send } = await open();
    const id = await send({ params: ['\u001b[31mAda', 'A'] });
    const { stdout } = await run('sandbox log -f --no-color', { ...ended, terminal: 120 });
    expect(stdout).toMatch(
      new RegExp(
        `^\\S+:00\\.000  POST /messages/send-template  200  ${id}  request\n\\S+  \\+\\d+  accepted  ${id}  Hello Ada.*  message\n$`,
      ),
    );
  });
});

describe('sandbox log ID', () => {
  it('shows the request of a message, its receipts, and its events with their deliveries', async () => {
    const { sandbox, run, send } = await open();
    sandbox.webhooks.add({ url: (await receiver()).url });
    const id = await send();
    await sandbox.time.advance(500);
    const { code, stdout } = await run(`sandbox log ${id}`);
    const [head, shown, blank, request, delivered, attempt, due] = stdout.split('\n');
    expect([code, head, shown, blank]).toEqual([0, `${id}  +12025550142  order_update  delivered`, text, '']);
    expect(request).toBe(`${at}  POST ${paths.send}  200`);
    expect(delivered).toMatch(/^2026-05-01T12:00:00\.\d{3}Z {2}message\.delivered {2}evt_\w+$/);
    expect(attempt).toMatch(/^2026-05-01T12:00:00\.\d{3}Z {2}→ http:\/\/127\.0\.0\.1:\d+\/\S* {2}200 in \d+ ms$/);
    expect(due).toMatch(/^2026-05-01T12:00:0\d\.\d{3}Z {2}message\.read is due$/);
  });

  it('shows each attempt of a delivery with request and response, without control characters', async () => {
    const { run, send, sandbox } = await open();
    const { url, received } = await receiver((response) =>
      response.writeHead(500, { 'x-why': 'tired' }).end('no \u001b[31mroom\u0007\nhere'),
    );
    sandbox.webhooks.add({ url });
    await send({ to: '+12025550102' });
    await sandbox.time.advance(500);
    const [row] = sandbox.deliveries();
    const { stdout } = await run(`sandbox log ${row?.id}`, { terminal: 200 });
    expect(stdout).toContain(`${row?.id}  message.failed  ${url}  waiting  next at ${row?.next_at}\n`);
    for (const line of [
      `> webhook-id: ${row?.event}`,
      `> ${received[0]?.body}`,
      '< 500',
      '< x-why: tired',
      '< no room',
      '< here',
    ])
      expect(stdout).toContain(`\n${line}\n`);
    expect((await run(`sandbox log ${row?.event}`, { terminal: 200 })).stdout).toBe(stdout);
    expect(JSON.parse((await run(`sandbox log ${row?.id} -o json`)).stdout)).toEqual(sandbox.delivery(row?.id ?? ''));
  });
});

it('sandbox log --redeliver delivers one event again, and all that failed', async () => {
  const { run, sandbox } = await open();
  let status = 500;
  const { url, received } = await receiver((response) => response.writeHead(status).end());
  sandbox.webhooks.add({ url });
  sandbox.trigger('order.paid', {});
  await run('sandbox clock +5d');
  const states = 'sandbox log --type deliveries --columns state,attempts --no-header';
  expect((await run(states)).stdout).toBe('dead\t10\n');
  status = 200;
  expect((await run('sandbox log --redeliver failed')).stdout).toBe('Delivering again: 1\n');
  await sandbox.settled();
  expect((await run(`sandbox log --redeliver ${received[0]?.id}`)).stdout).toBe('Delivering again: 1\n');
  await sandbox.settled();
  expect([received.length, sandbox.deliveries()[0]?.state]).toEqual([12, 'delivered']);
  expect((await run('sandbox log --redeliver failed')).stdout).toEqual('Nothing to deliver again\n');
});
