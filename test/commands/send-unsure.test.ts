import type { ServerResponse } from 'node:http';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { serve, type Service } from '../client/servers.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { message } from './machine.ts';

const key = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';

let home: string;
let service: Service;
/** Responses to the next requests; later ones succeed. */
let next: ((response: ServerResponse) => unknown)[];
beforeEach(async () => {
  home = newHome();
  next = [];
  const well = (response: ServerResponse) => response.end('{"message_id":"msg_1"}');
  service = await serve((_, __, response) => void (next.shift() ?? well)(response));
});

const send = (words: readonly string[] = [], options: Partial<CliOptions> = {}) =>
  cli([...message, ...words], { home, env: callerOf(service.url, key), ...options });
const lose = (response: ServerResponse) => response.socket?.destroy();

/** A request without a response until `lose` closes its connection. */
async function hanging() {
  let lost: () => unknown = () => {};
  const arrived = new Promise<void>((resolve) => {
    next.push((response) => {
      lost = () => lose(response);
      resolve();
    });
  });
  const ended = send();
  await arrived;
  return { ended, lose: () => lost() };
}

it('a live message that another process is sending is refused, and not sent', async () => {
  const first = await hanging();
  expect(await send()).toMatchObject({ code: 11, stderr: expect.stringContaining('being sent by another process') });
  first.lose();
  expect([(await first.ended).code, service.seen.length]).toEqual([13, 1]);
});

it('is unsure after a 408, which may have crossed the request', async () => {
  next.push((response) => response.writeHead(408).end());
  expect([(await send()).code, (await send()).code, service.seen.length]).toEqual([13, 11, 1]);
});

describe('a record that cannot be used', () => {
  const ledger = () => join(home, '.local/state/bizmsg/ledger.db');

  it.each<[string, (path: string) => void]>([
    ['a folder', mkdirSync],
    ['a pipe', makePipe],
    ['another file', (path) => writeFileSync(path, 'x\n'.repeat(999))],
  ])('stops live messages with exit 3: %s in its place', async (_, spoil) => {
    mkdirSync(join(home, '.local/state/bizmsg'), { recursive: true, mode: 0o700 });
    spoil(ledger());
    const { code, stderr } = await send();
    expect([code, stderr, service.seen.length]).toEqual([3, expect.stringContaining(ledger()), 0]);
  });

  it('stops live messages after it was damaged', async () => {
    await send();
    const bytes = readFileSync(ledger());
    writeFileSync(ledger(), bytes.fill(0x2b, 4_096));
    const { code, stderr } = await send(['--again']);
    expect([code, stderr, service.seen.length]).toEqual([3, expect.stringContaining('is damaged'), 1]);
  });

  it('stops the retry of a live message', async () => {
    next.push((response) => {
      replaceLedger();
      response.writeHead(429, { 'Retry-After': '0' }).end('{}');
    });
    const { code, stderr } = await send();
    expect([code, service.seen.length]).toEqual([3, 1]);
    expect(stderr).toContain(ledger());
  });

  it.each<[string, number, (response: ServerResponse) => unknown]>([
    ['success', 0, (response) => response.end('{"message_id":"msg_1"}')],
    ['refusal', 6, (response) => response.writeHead(422).end('{}')],
    ['lost answer', 13, lose],
  ])('does not hide how a live message ended: %s', async (_, code, end) => {
    next.push((response) => {
      replaceLedger();
      end(response);
    });
    const ran = await send(['--retries', '0']);
    expect([ran.code, ran.stdout]).toEqual([code, code === 0 ? 'msg_1\n' : '']);
    expect(ran.stderr).toMatch(/note: .*ledger.db.*; it is not recorded how this message ended/);
    expect(ran.stderr.match(/not recorded/g)).toHaveLength(1);
  });

  it('does not stop messages with a sandbox key of a machine without one', async () => {
    expect((await send([], { env: callerOf(service.url), sqlite: () => undefined })).code).toBe(0);
  });

  function replaceLedger(): void {
    rmSync(ledger());
    writeFileSync(ledger(), '');
  }
});

describe('the sending endpoint in another spelling', () => {
  const body = JSON.stringify({ to: message[1], template: 'order_update', params: ['Ada', 'A-1042'] });

  it.each([
    '/api/public/messages/send-template/',
    '/api/public/messages/send%2Dtemplate',
    '/api/public//messages///send-template',
    '/api/public/messages%2Fsend-template',
    '/api/public/%2e/messages/./send-template',
    '/API/public/Messages/Send-Template',
    '/api/public/messages/send-template?again=1',
  ])('%s is refused as well', async (path) => {
    next.push(lose);
    await send();
    const options = { home, env: callerOf(service.url, key), stdin: body };
    expect((await cli(['api', path, '--input', '-'], options)).code).toBe(11);
  });
});
