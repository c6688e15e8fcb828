import type { ServerResponse } from 'node:http';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Service } from '../client/servers.ts';
import { serve } from '../client/servers.ts';
import type { CliOptions } from '../support/cli.ts';
import { cli } from '../support/cli.ts';
import { makePipe } from '../support/disk.ts';
import { callerOf, newHome } from '../support/hostile.ts';
import { message } from './activity-rig.ts';

const key = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';
const day = 24 * 60 * 60_000;

let home: string;
let service: Service;
let log: string;
/** What the next requests meet; then they are answered well. */
let next: ((response: ServerResponse) => unknown)[];
beforeEach(async () => {
  home = newHome();
  log = join(home, '.local/state/bizmsg/activity/1.ndjson');
  next = [];
  const well = (response: ServerResponse) => response.end('{"message_id":"msg_1"}');
  service = await serve((_, __, response) => void (next.shift() ?? well)(response));
});

const send = (words: readonly string[] = [], options: Partial<CliOptions> = {}) =>
  cli([...message, ...words], { home, env: callerOf(service.url, key), ...options });
const lose = (response: ServerResponse) => response.socket?.destroy();

/** A send that nobody answers until `lost` is called. */
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

describe('a live message that is unsure in the end', () => {
  it('is refused although another one, begun meanwhile, went well', async () => {
    const first = await hanging();
    expect((await send()).code).toBe(0);
    first.lose();
    expect((await first.ended).code).toBe(13);
    expect((await send()).code).toBe(11);
  });

  it('is refused although another one was allowed before it was unsure', async () => {
    const first = await hanging();
    expect((await send(['--allow-unsure'])).code).toBe(0);
    first.lose();
    await first.ended;
    expect((await send()).code).toBe(11);
  });

  it('is no more refused once it was sent by who knew of it', async () => {
    next.push(lose);
    await send();
    await send(['--allow-unsure']);
    expect((await send()).code).toBe(0);
  });
});

describe('an unsure live message that a clock ahead wrote down', () => {
  const ahead = { now: () => Date.now() + 400 * day };

  it('is refused, and a day after that is found is sent', async () => {
    next.push(lose);
    await send([], ahead);
    const { code, stderr } = await send();
    expect([code, stderr]).toEqual([11, expect.stringContaining('may have been sent before the clock was set back')]);
    expect((await send([], { now: () => Date.now() + day - 60_000 })).code).toBe(11);
    expect((await send([], { now: () => Date.now() + day + 60_000 })).code).toBe(0);
  });
});

describe('a damaged line about the very same live message', () => {
  const damage = () => writeFileSync(log, readFileSync(log, 'utf8').replace('"type":"intent"', '"type":"int\u0000nt"'));

  it('has it refused, and says so', async () => {
    await send();
    damage();
    const { code, stderr } = await send();
    expect([code, stderr.split('is damaged')]).toEqual([11, [expect.anything(), expect.anything()]]);
    expect([stderr, service.seen.length]).toEqual([expect.not.stringContaining('left out'), 1]);
  });

  it('has it sent with --allow-unsure, and from then on', async () => {
    await send();
    damage();
    expect((await send(['--allow-unsure'])).code).toBe(0);
    expect((await send()).code).toBe(0);
  });

  it('keeps no other one', async () => {
    await send();
    damage();
    appendFileSync(log, 'nothing\n');
    expect(
      (await cli(['send-template', '+12025550102', 'welcome'], { home, env: callerOf(service.url, key) })).code,
    ).toBe(0);
  });
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

describe('the log', () => {
  const whole = () => cli(['activity', '-o', 'json'], { home });

  it.each([
    ['a key', key, 'sk_live_7Rw1'],
    ['a key of another', 'sk_test_ZZZZ0123456789', '0123456789'],
    ['a key in percent signs', encodeURIComponent(key).replace('_', '%5F'), '7Rw1Kc5N'],
    ['the recipient', message[1], '2025550101'],
    ['the recipient with more around it', 'wamid.12025550101x', '2025550101'],
    ['any phone', 'to +1 (202) 555-0177', '555-0177'],
    ['nothing but a phone', '12025550177', '2025550177'],
  ])('holds nothing of %s that the service gives as message_id', async (_, id, secret) => {
    next.push((response) => response.end(JSON.stringify({ message_id: id })));
    await send();
    expect(readFileSync(log, 'utf8')).not.toContain(secret);
    const { code, stdout } = await whole();
    expect([code, stdout]).toEqual([0, expect.not.stringContaining(secret)]);
  });

  it.each([
    [key, '7Rw1Kc5N'],
    ['+12025550177', '2025550177'],
  ])('holds no template that is given as %s', async (template, secret) => {
    const env = callerOf(service.url, key);
    await cli(['send-template', message[1], template], { home, env });
    expect(readFileSync(log, 'utf8')).not.toContain(secret);
  });

  it('holds nothing of a key without a prefix', async () => {
    const odd = 'unprefixed-secret-0001';
    next.push((response) => response.end(JSON.stringify({ message_id: `x${odd}` })));
    await send(['--mode', 'live'], { env: callerOf(service.url, odd) });
    expect(readFileSync(log, 'utf8')).not.toContain('unprefixed');
  });

  it.each([
    '+1-202-555-0199',
    '202.555.0199',
    'ada@example.com',
    '%32%30%32%35%35%35%30%31%39%39',
    'by/phone/20-25-55',
  ])('holds nothing of a path that says %s', async (segment) => {
    const env = callerOf(service.url, key);
    await cli(['api', '-X', 'DELETE', `/api/public/contacts/${segment}`], { home, env });
    expect(readFileSync(log, 'utf8')).toMatch(/"endpoint":"\/api\/public\/contacts\/(by\/phone\/)?\*"/);
  });

  it('leaves a line out whose time there is none of, and says so', async () => {
    await send();
    writeFileSync(log, readFileSync(log, 'utf8').replace(/"at":\d+/, '"at":8640000000000001'));
    const { code, stdout, stderr } = await whole();
    expect([code, stdout, stderr]).toEqual([0, '[]\n', expect.stringContaining('left out')]);
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a pipe', makePipe],
  ])('with %s in its place is exit 3 that names it, and keeps no message', async (_, put) => {
    mkdirSync(dirname(log), { recursive: true });
    put(log);
    const { code, stderr } = await whole();
    expect([code, stderr]).toEqual([3, expect.stringContaining(log)]);
    expect(await send()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('a second send of it is not noticed'),
    });
  });

  it('with a pipe in place of its secret keeps no message, and is told', async () => {
    mkdirSync(dirname(log), { recursive: true });
    makePipe(join(dirname(log), 'secret'));
    const { code, stderr } = await send();
    expect([code, stderr]).toEqual([0, expect.stringContaining('whether the same was sent before cannot be told')]);
  });
});
