import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { check } from '../../src/delivery/signature.ts';
import { deadPort, serve } from '../client/servers.ts';
import { announced } from '../support/listeners.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { binary, cleanEnv, startBin } from '../support/bin.ts';
import { canLimitFiles } from '../support/disk.ts';
import { posixOnly } from '../support/system.ts';
import { listener, secret, signed } from './webhooks-rig.ts';

const body = '{ "type": "message.read",\n"data":{"message_id":"msg_1"} }';
const hour = 3_600_000;
const env = { BIZMSG_WEBHOOK_SECRET: secret };

const accepting = () => serve((_, __, response) => response.end());

describe('webhooks replay', () => {
  it('sends the same bytes and headers again, and prints the response', async () => {
    const { send, run } = await listener();
    const target = await serve((_, __, response) => response.writeHead(201).end('thanks'));
    const headers = signed(body);
    const id = await send(body, [...headers, ['X-Twice', '1'], ['X-Twice', '2']]);
    const { code, stdout, stderr } = await run(`webhooks replay ${id} --to ${target.url}/again?a=1`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^${id}  message.read  201  \\d+ ms\nReplayed 1: 1 x answered 201\n$`));
    const sent = { ...Object.fromEntries(headers), 'x-twice': '1, 2', host: new URL(target.url).host };
    expect(target.seen).toMatchObject([{ method: 'POST', url: '/again?a=1', body, headers: sent }]);
  });

  it('corrects the answer that the sandbox shows for its event, as does a redelivery', async () => {
    const home = newHome();
    const sandbox = await serveLocal(home);
    let status = 500;
    const handler = await serve((_, __, response) => response.writeHead(status).end());
    const over = new AbortController();
    const words = ['webhooks', 'listen', '--port', '0', '--profile', 'local', '--forward-to', handler.url];
    const { running } = await announced(home, () => cli(words, { home, signal: over.signal }));
    const run = (line: string) => cli(line.split(' '), { home });
    const forwarded = async () =>
      (await run('sandbox log --type deliveries --columns forwarded --no-header')).stdout.trim();
    await expect.poll(() => sandbox.webhooks.list()).toHaveLength(1);
    sandbox.trigger('order.paid');
    await expect.poll(forwarded).toBe('500');
    status = 200;
    expect((await run('webhooks replay --failed')).stdout).toContain('Replayed 1: 1 x answered 200\n');
    expect(await forwarded()).toBe('200');
    status = 503;
    await run(`sandbox log --redeliver ${sandbox.events()[0]?.id}`);
    await expect.poll(forwarded).toBe('503');
    over.abort('SIGINT');
    expect((await running).code).toBe(0);
  });

  it('sends the events one at a time, oldest first, in any order of ids', async () => {
    const { send, run } = await listener();
    const target = await accepting();
    const ids = [await send('1'), await send('2'), await send('3')];
    await run(`webhooks replay ${ids[2]} ${ids[0]} ${ids[2]} --to ${target.url}`);
    await run(`webhooks replay --since 10m --to ${new URL(target.url).port}`);
    expect(target.seen.map(({ body }) => body)).toEqual(['1', '3', '1', '2', '3']);
  });

  it('sends each event to its last address, and records the response', async () => {
    const { send, journal, run } = await listener();
    const [first, second] = [await accepting(), await accepting()];
    const ids = [await send('1'), await send('2'), await send('3')];
    const targets = [first, second, second];
    for (const [at, id] of ids.entries()) {
      await journal.forwarded({ event: id, url: `${first.url}/old`, ms: 1, error: 'connection refused' });
      await journal.forwarded({ event: id, url: `${targets[at]?.url}/hooks`, ms: 1, status: at === 2 ? 200 : 500 });
    }
    await send('never forwarded');
    expect((await run('webhooks replay --failed')).code).toBe(0);
    expect([first, second].map(({ seen }) => seen.map(({ url, body }) => [url, body]))).toEqual([
      [['/hooks', '1']],
      [['/hooks', '2']],
    ]);
    expect((await run('webhooks list --failed -o id')).stdout).toBe('');
    expect((await run('webhooks replay --failed', { terminal: 80 })).stdout).toBe('Nothing to replay\n');
  });

  it('ends with 10 if a response is not 2xx', async () => {
    const { send, run } = await listener();
    const target = await serve(({ body }, _, response) => response.writeHead(body === '1' ? 302 : 200).end());
    const ids = [await send('1'), await send('2')];
    const { code, stdout } = await run(`webhooks replay --since 1h --to ${target.url} -o json`);
    expect(code).toBe(10);
    expect(JSON.parse(stdout)).toEqual({ replayed: 2, failed: 1, answers: { 'answered 302': 1, 'answered 200': 1 } });
    expect(target.seen).toHaveLength(2);
    const dead = await run(`webhooks replay ${ids[1]} --to ${await deadPort()} -o ndjson`);
    const [line = ''] = dead.stdout.split('\n');
    expect(dead.code).toBe(10);
    const error: unknown = expect.stringMatching(/^connection refused by 127\.0\.0\.1:\d+$/);
    expect(JSON.parse(line)).toMatchObject({ id: ids[1], status: null, error });
  });

  it('gives up after --timeout without a response', async () => {
    const { send, run } = await listener();
    const target = await serve(() => {});
    await send('1');
    const { code, stdout } = await run(`webhooks replay e --to ${target.url} --timeout 50ms`);
    expect([code, stdout]).toEqual([10, expect.stringContaining('no whole answer within 0.05 s')]);
  });

  it.runIf(canLimitFiles)('sends events even if it cannot record the results', async () => {
    const { send, home, run } = await listener();
    const target = await accepting();
    await send('1');
    const line = [process.execPath, binary, 'webhooks', 'replay', 'e', '--to', target.url];
    const full = ['-c', 'exec prlimit --fsize=0 "$@"', 'sh', ...line];
    const ran = await execa('sh', full, { env: cleanEnv(home), extendEnv: false, reject: false });
    const note: unknown = expect.stringContaining('the result is not recorded');
    expect([ran.exitCode, ran.stderr, target.seen.length]).toEqual([0, note, 1]);
    expect((await run('webhooks list --columns answered --no-header')).stdout).toBe('\n');
  });

  it('ends on an interrupt, reports its progress, and records the request in flight', async () => {
    posixOnly('a signal ends a process immediately');
    const { send, home, run } = await listener();
    const target = await serve(({ body }, _, response) => {
      if (body === '1') response.end();
      else process.kill(running.pid, 'SIGINT');
    });
    const ids = [await send('1'), await send('2'), await send('3')];
    const running = startBin(['webhooks', 'replay', '--since', '1h', '--to', target.url], { home });
    expect(await running.ended).toBe(130);
    expect(running.stdout()).toMatch(/ 200 .*\n.*stopped waiting for an answer.*\n$/);
    expect(running.stderr()).toBe('error: interrupted after 2 of 3\n');
    expect(target.seen).toHaveLength(2);
    expect((await run('webhooks list --failed -o id')).stdout).toBe(`${ids[1]}\n`);
  });

  it.each([
    ['', 'specify which events to replay'],
    ['e', 'give one with --to'],
    ['e --since 10m', 'ids cannot be combined'],
    ['e --to ftp://x', 'is not an address to forward to'],
    ['e --resign --to 9', 'no webhook secret is known'],
    ['e0zz --to 9', 'there is no event'],
  ])('%s sends nothing and reports why', async (words, reason) => {
    const { send, run } = await listener();
    await send('1');
    const { code, stdout, stderr } = await run(`webhooks replay ${words}`.trim());
    expect([code > 1, stdout]).toEqual([true, '']);
    expect(stderr).toContain(reason);
  });
});

describe('webhooks replay of an old event', () => {
  const long = Date.now() - hour;

  it('warns that it will be refused', async () => {
    const { send, run } = await listener(() => long);
    const target = await accepting();
    await send(body, signed(body, { at: long }));
    const { code, stderr } = await run(`webhooks replay e --to ${target.url}`, { env });
    expect([code, stderr.split('\n')]).toEqual([0, [expect.stringContaining('--resign signs them again'), '']]);
    expect(target.seen[0]?.headers['webhook-timestamp']).toBe(String(Math.floor(long / 1000)));
  });

  it('signs it again with --resign, with the same id and body', async () => {
    const { send, run } = await listener();
    const target = await accepting();
    const fresh = signed('{}', { id: 'evt_fresh' });
    await send(body, signed(body, { at: long, id: 'evt_old' }));
    await send('{}', fresh);
    await send('unsigned');
    const { code, stderr } = await run(`webhooks replay --since 2h --resign --to ${target.url}`, { env });
    expect([code, stderr]).toEqual([0, '']);
    const [old, other, unsigned] = target.seen.map(({ headers, body }) => {
      const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
      return { id: headers['webhook-id'], verdict: check([secret], pairs, Buffer.from(body), Date.now()) };
    });
    expect(old).toEqual({ id: 'evt_old', verdict: { verdict: 'good' } });
    expect(target.seen[1]?.headers).toMatchObject(Object.fromEntries(fresh));
    expect([other?.id, unsigned?.verdict]).toEqual(['evt_fresh', { verdict: 'unsigned' }]);
  });
});
