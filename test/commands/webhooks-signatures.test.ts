import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveLocal } from '../support/local.ts';
import { listener, otherSecret, secret, signed } from './webhooks-rig.ts';

const body = '{"type":"message.read"}';
const minute = 60_000;
const env = { BIZMSG_WEBHOOK_SECRET: secret };

describe('webhooks verify', () => {
  it('accepts the newest event by the time when it was received', async () => {
    const long = Date.now() - 60 * minute;
    const { send, run } = await listener(() => long);
    const id = await send(body, signed(body, { at: long }));
    const { code, stdout } = await run('webhooks verify', { env });
    expect([code, stdout]).toEqual([0, `good: ${id}: signed with the secret in BIZMSG_WEBHOOK_SECRET\n`]);
    expect((await run(`webhooks verify ${id} --at ${Math.floor(Date.now() / 1000)}`, { env })).code).toBe(12);
  });

  it.each([
    ['another secret', signed(body, { by: otherSecret }), 'signed with another secret, or its body was changed'],
    ['no signature', [], 'it has no signature headers'],
  ])('explains why a signature is not good: %s', async (_, headers, why) => {
    const { send, run } = await listener();
    await send(body, headers);
    const { code, stdout, stderr } = await run('webhooks verify', { env });
    expect([code, stderr]).toEqual([12, '']);
    expect(stdout).toContain(why);
  });

  it('reports that no secret is known, and how to give one', async () => {
    const { send, run } = await listener();
    await send(body, signed(body));
    const { code, stdout } = await run('webhooks verify -o json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'unknown', why: expect.stringContaining('--secret-stdin') });
  });

  it('reads the secret from stdin, a file, the environment, or the profile', async () => {
    const { send, home, run } = await listener();
    await send(body, signed(body));
    writeFileSync(join(home, 'secret'), `${secret}\n`);
    storeProfiles(home);
    const ran = [
      await run('webhooks verify --secret-stdin', { stdin: `${secret}\n` }),
      await run(`webhooks verify --secret-file ${home}/secret`, { env: { BIZMSG_WEBHOOK_SECRET: otherSecret } }),
      await run('webhooks verify', { env }),
      await run('webhooks verify'),
      await run('webhooks verify', { env: { BIZMSG_PROFILE: 'acme' } }),
      await run('webhooks verify --profile acme', { env: { BIZMSG_WEBHOOK_SECRET: otherSecret } }),
    ];
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(ran.map(() => [0, '']));
  });

  it('finds the secret with which the sandbox signed, beside that of the profile', async () => {
    const { send, home, run } = await listener();
    storeProfiles(home);
    const sandbox = await serveLocal(home);
    const id = await send(body, signed(body, { by: sandbox.secret() }));
    const ours = await send(body, signed(body));
    writeFileSync(join(home, 'secret'), otherSecret);
    expect([
      await run(`webhooks verify ${id}`),
      await run(`webhooks verify ${ours}`),
      // A secret that is named is the only one.
      await run(`webhooks verify ${id}`, { env: { BIZMSG_WEBHOOK_SECRET: otherSecret } }),
      await run(`webhooks verify ${id} --secret-file ${home}/secret`),
    ]).toMatchObject([
      { code: 0, stdout: `good: ${id}: signed with the sandbox's secret\n` },
      { code: 0, stdout: `good: ${ours}: signed with the secret of the profile "acme"\n` },
      { code: 12, stdout: expect.stringContaining(`bad: ${id}: it was signed with another secret`) },
      { code: 12, stdout: expect.stringContaining(`bad: ${id}: it was signed with another secret`) },
    ]);
  });

  it('accepts events signed before the secret of the sandbox was rotated', async () => {
    const { send, home, run } = await listener();
    const sandbox = await serveLocal(home);
    const id = await send(body, signed(body, { by: sandbox.secret() }));
    sandbox.webhooks.rotate();
    for (const profile of ['', ' --profile local']) {
      const { code, stdout } = await run(`webhooks verify ${id}${profile}`);
      expect([code, stdout]).toEqual([0, `good: ${id}: signed with another secret of the sandbox\n`]);
    }
  });

  it('uses the secret of the sandbox with --profile local, and does not start one', async () => {
    const { send, home, run } = await listener();
    await send(body, signed(body, { by: otherSecret }));
    const without = await run('webhooks verify --profile local', { env });
    expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('bizmsg sandbox start --background')]);
    const sandbox = await serveLocal(home);
    await send(body, signed(body, { by: sandbox.secret() }));
    for (const line of ['webhooks verify --profile local', 'webhooks verify']) {
      const { code, stdout, stderr } = await run(line, { env: { BIZMSG_PROFILE: 'local' } });
      expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('good: e'), '']);
    }
  });

  it.each([
    ['--profile none', 3, 'none'],
    ['--profile bare', 3, 'has no webhook secret'],
    ['--secret-stdin --secret-file x', 2, 'give either'],
    ['--file none.http', 2, 'cannot be read'],
    ['--at noon', 2, 'is not a time'],
    ['e1zz', 5, 'there is no event'],
  ])('with %s ends with %i', async (words, exit, reason) => {
    const { send, home, run } = await listener();
    await send(body, signed(body));
    storeProfiles(home);
    const { code, stdout, stderr } = await run(`webhooks verify ${words}`);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(reason);
  });
});

describe('webhooks verify --file', () => {
  it('checks a file of show --raw by the current time, or by --at', async () => {
    const long = Date.now() - 60 * minute;
    const { send, home, run } = await listener(() => long);
    await send(body, signed(body, { at: long }));
    const file = join(home, 'event.http');
    await run(`webhooks show --raw ${file}`);
    expect((await run(`webhooks verify --file ${file}`, { env })).stdout).toContain(' 3600 s behind this clock');
    const then = await run(`webhooks verify --file ${file} --at ${new Date(long).toISOString()}`, { env });
    expect([then.code, then.stdout]).toEqual([0, `good: ${file}: signed with the secret in BIZMSG_WEBHOOK_SECRET\n`]);
  });

  it('reads stdin, and refuses it if it is not an event file', async () => {
    const { run } = await listener();
    const head = signed(body).map(([name, value]) => `${name}: ${value}\n`);
    const good = await run('webhooks verify --file -', { env, stdin: `POST / HTTP/1.1\n${head.join('')}\n${body}` });
    expect([good.code, good.stderr]).toEqual([0, '']);
    const bad = await run('webhooks verify --file -', { env, stdin: body });
    expect([bad.code, bad.stdout]).toEqual([2, '']);
    expect(bad.stderr).toContain('stdin is not an event file');
  });
});

describe('a webhook secret of fewer than 16 bytes', () => {
  const weak = ['whsec_', 'whsec_!!!!', 'whsec_c2hvcnQ='];
  const why: unknown = expect.stringContaining('must decode from base64 to at least 16 bytes');
  const refused = expect.objectContaining({ code: 3, stdout: '', stderr: why });

  it.each(weak)('cannot verify an event that it signed: %j', async (text) => {
    const { send, home, run } = await listener();
    await send(body, signed(body, { by: text }));
    writeFileSync(join(home, 'secret'), text);
    storeProfiles(home, text);
    expect([
      await run('webhooks verify', { env: { BIZMSG_WEBHOOK_SECRET: text } }),
      await run('webhooks verify --secret-stdin', { stdin: `${text}\n` }),
      await run(`webhooks verify --secret-file ${home}/secret`),
      await run('webhooks verify'),
      await run('webhooks verify --profile acme'),
      await run('webhooks verify', { env: { BIZMSG_PROFILE: 'acme' } }),
    ]).toEqual(Array.from({ length: 6 }, () => refused));
  });

  it('is refused by listen and profiles set', async () => {
    const { home, run } = await listener();
    const listened = await run('webhooks listen --port 0', { env: { BIZMSG_WEBHOOK_SECRET: 'whsec_' } });
    storeProfiles(home);
    const set = await run('profiles set acme --webhook-secret-stdin', { stdin: 'whsec_' });
    expect([listened, set]).toEqual([refused, refused]);
  });
});

function storeProfiles(home: string, webhookSecret = secret): void {
  const profile = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys: {} };
  const profiles = { acme: { ...profile, webhookSecret }, bare: profile };
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ version: 1, current: 'acme', profiles }));
}
