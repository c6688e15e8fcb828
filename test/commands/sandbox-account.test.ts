import { describe, expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

async function local() {
  const home = newHome();
  const sandbox = await serveLocal(home, { clock: manualClock(Date.UTC(2026, 4, 1, 12)) });
  const run = (line: string, terminal?: number) =>
    cli(line.split(' '), { home, ...(terminal !== undefined && { terminal }) });
  return { sandbox, run };
}

describe('sandbox clock', () => {
  it('advances and prints what fired', async () => {
    const { run } = await local();
    const { stdout: id } = await run('send-template +12025550103 welcome --profile local');
    const { stdout } = await run('sandbox clock advance 5s');
    expect(stdout).toMatch(
      /^2026-05-01T12:00:05\.000Z {2}message\.delivered {2}evt_\S+ {2}msg_sandbox_\S+\n2026-05-01T12:00:05\.000Z, frozen\n$/,
    );
    expect(stdout).toContain(id.trim());
  });

  it('shows on a terminal when each receipt fired, in local time', async () => {
    const { run } = await local();
    await run('send-template +12025550103 welcome --profile local');
    const { stdout } = await run('sandbox clock advance 5s', 120);
    expect(stdout).toMatch(/^May 1 \d\d:\d\d {2}message\.delivered {2}evt_/);
  });

  it('advances to the next month', async () => {
    const { run } = await local();
    const { stdout } = await run('sandbox clock advance --to next-month -o json');
    expect(JSON.parse(stdout)).toMatchObject({ now: '2026-06-01T00:00:00.000Z', frozen: true, fired: [] });
  });

  it('reports what is not due after a return to real time', async () => {
    const { run, sandbox } = await local();
    sandbox.clock.set({ frozen: Date.now() + 86_400_000 });
    await run('send-template +12025550103 welcome --profile local');
    const { code, stdout, stderr } = await run('sandbox clock real');
    expect([code, stdout]).toEqual([0, expect.stringContaining('real time')]);
    expect(stderr).toMatch(/note: 2 receipts and deliveries are not due until \S+Z; advance the clock, or reset\n/);
    expect((await run('sandbox clock real')).stderr).toBe('');
  });

  it('shows how many days it is ahead', async () => {
    const { run } = await local();
    await run('sandbox clock real');
    expect((await run('sandbox clock advance 400d')).stdout).toMatch(/Z, 400 d ahead of real time\n$/);
  });

  it.each([
    ['sandbox clock advance', 'specify how far to advance'],
    ['sandbox clock advance 5s --to next-day', 'exclude each other'],
    ['sandbox clock advance soon', 'is not a span of time'],
  ])('%s exits 2', async (line, reason) => {
    const { run } = await local();
    const { code, stderr, stdout } = await run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
  });
});

describe('sandbox keys', () => {
  it('creates a key with a scope; it is refused once revoked', async () => {
    const { run, sandbox } = await local();
    const { id, key } = JSON.parse((await run('sandbox keys create --scope read-only -o json')).stdout);
    const headers = { authorization: `Bearer ${key}` };
    const get = { method: 'GET', target: '/api/public/contacts', headers, body: '' };
    expect((await sandbox.answer(get)).status).toBe(200);
    expect((await run(`sandbox keys revoke ${id}`)).stdout).toBe(`Revoked ${id}\n`);
    expect((await sandbox.answer(get)).status).toBe(401);
    expect((await run('sandbox keys list --columns id,state --no-header')).stdout).toContain(`${id}\trevoked\n`);
    const requests: readonly { readonly key: string }[] = JSON.parse((await run('sandbox requests -o json')).stdout);
    const audit = requests.filter((one) => one.key === id);
    expect(audit).toMatchObject([{ status: 200 }, { status: 401, detail: 'the key is revoked' }]);
  });

  it('activates the live key, whose use is announced', async () => {
    const { run } = await local();
    const send = 'send-template +12025550101 welcome --profile local --mode live';
    expect(await run(send)).toMatchObject({ code: 4, stderr: expect.stringContaining('sandbox keys go-live') });
    await run('sandbox keys go-live');
    const { code, stderr } = await run(send);
    expect(code).toBe(0);
    expect(stderr).toContain('LIVE');
    expect(stderr).toContain('simulated');
  });
});

describe('sandbox plan set', () => {
  it('sets limits and excludes endpoints', async () => {
    const { run } = await local();
    const { stdout } = await run('sandbox plan set growth --rate 2/m --monthly 1 --without campaigns,campaigns');
    expect(stdout).toBe('growth: 2 requests a minute, 1 message a month, without campaigns\n');
    expect(await run('campaigns list --profile local')).toMatchObject({ code: 4 });
    expect(await run('templates list --profile local')).toMatchObject({ code: 0 });
    expect(await run('templates list --profile local --retries 0')).toMatchObject({ code: 7 });
  });

  it.each(['sandbox plan set gold', 'sandbox plan set', 'sandbox plan set growth --without flows'])(
    '%s exits 2',
    async (line) => {
      expect(await (await local()).run(line)).toMatchObject({ code: 2, stdout: '' });
    },
  );
});

describe('sandbox plan show', () => {
  it('shows how much of the limits is used', async () => {
    const { run } = await local();
    expect((await run('sandbox plan show')).stdout).toMatch(
      /^enterprise: unlimited requests a minute, unlimited messages in \d{4}-\d\d\n$/,
    );
    await run('sandbox plan set growth --monthly 10 --without campaigns');
    expect((await run('sandbox plan show')).stdout).toContain(
      'growth: 0 of 300 requests a minute, 0 of 10 messages in',
    );
    await run('send-template +12025550101 welcome --profile local');
    expect(JSON.parse((await run('sandbox plan show -o json')).stdout)).toMatchObject({
      per_minute: 300,
      minute_used: 1,
      minute_ends: expect.stringMatching(/Z$/),
      per_month: 10,
      month_used: 1,
      without: ['campaigns'],
    });
  });

  it('shows no end of the minute on an unlimited plan', async () => {
    const { run } = await local();
    await run('sandbox plan set growth');
    await run('send-template +12025550101 welcome --profile local');
    await run('sandbox plan set enterprise');
    expect((await run('sandbox plan show')).stdout).toContain('enterprise: unlimited requests a minute, ');
  });
});

describe('sandbox requests', () => {
  it('lists all requests, with the reason of a refusal', async () => {
    const { run, sandbox } = await local();
    await sandbox.answer({ method: 'GET', target: '/api/public/contacts', headers: {}, body: '' });
    await run('contacts list --profile local');
    const { stdout } = await run('sandbox requests -o json');
    expect(JSON.parse(stdout)).toMatchObject([
      { method: 'GET', path: '/api/public/contacts', status: 401, key: null, detail: /the key is missing/ },
      { method: 'GET', path: '/api/public/contacts', status: 200, key: expect.stringMatching(/^key_/) },
    ]);
    expect((await run('sandbox requests --limit 1 --columns status --no-header')).stdout).toBe('200\n');
  });

  it('shows the bytes of the newest with --bytes, without keys', async () => {
    const { run, sandbox } = await local();
    await run('send-template +12025550101 order_update -p Ada -p A-1 --profile local');
    const { stdout } = await run('sandbox requests --bytes --limit 1');
    const [, ...lines] = stdout.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        '> POST /api/public/messages/send-template',
        expect.stringMatching(/^> authorization: Bearer sk_test_…\w{4}$/),
        '> {"to":"+12025550101","template":"order_update","params":["Ada","A-1"]}',
        '< 200',
        expect.stringMatching(/^< \{"message_id":"msg_sandbox_\w+"\}$/),
      ]),
    );
    await sandbox.answer({ method: 'GET', target: '/api/public/contacts', headers: {}, body: '' });
    expect((await run('sandbox requests --bytes --limit 1')).stdout).toMatch(/\n> GET [^\n]+\n< 401\n/);
    const body = JSON.stringify({ note: 'x'.repeat(20_000) });
    await sandbox.answer({ method: 'POST', target: '/api/public/contacts', headers: {}, body });
    const [large] = JSON.parse((await run('sandbox requests --bytes --limit 1 -o json')).stdout);
    expect([large.sent.body, large.sent.bytes, large.answered.status]).toEqual([
      body.slice(0, 16_384),
      body.length,
      401,
    ]);
    expect((await run('sandbox requests --bytes --follow')).code).toBe(2);
  });
});

describe('on a terminal of 80 columns', () => {
  it('sandbox status shows the whole address', async () => {
    const { run } = await local();
    expect((await run('sandbox status --no-color', 80)).stdout).toMatch(
      /^url .* waiting.*\nhttp:\/\/127\.0\.0\.1:\d+ /,
    );
  });
});
