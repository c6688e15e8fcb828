import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/cli.ts';
import { newHome } from '../../support/fake-service.ts';
import { liveKey, testKey } from './people.ts';

const service = 'https://api.example.com';
const id = /^[0-9a-f]{12}$/;

describe('the account of a profile', () => {
  it('is a random id that the store gets with the profile', async () => {
    const { add, accountOf } = machine();
    await add('acme');
    await add('beta');
    expect(accountOf('acme')).toMatch(id);
    expect(accountOf('beta')).toMatch(id);
    expect(accountOf('acme')).not.toBe(accountOf('beta'));
  });

  it.each([
    ['keys set --profile acme --key-stdin', `${testKey}9`],
    ['keys set --profile acme --key-stdin', liveKey],
    ['keys remove sandbox --profile acme --yes', ''],
    ['profiles set acme --base-url https://api.example.com/v2', ''],
    ['profiles set acme --base-url https://other.example.com --yes', ''],
    ['profiles set acme --plan growth', ''],
    ['profiles use acme', ''],
  ])('survives %s', async (line, stdin) => {
    const { run, add, accountOf } = machine();
    await add('acme');
    const before = accountOf('acme');
    expect(before).toMatch(id);
    expect(await run(line, stdin)).toMatchObject({ code: 0 });
    expect(accountOf('acme')).toBe(before);
  });

  it('is new when the profile is removed and added again', async () => {
    const { run, add, accountOf } = machine();
    await add('acme');
    const before = accountOf('acme');
    await run('profiles remove acme --yes');
    await add('acme');
    expect(accountOf('acme')).toMatch(id);
    expect(accountOf('acme')).not.toBe(before);
  });

  it('is shown by profiles show, but not by lists', async () => {
    const { run, add, accountOf } = machine();
    await add('acme');
    expect(JSON.parse((await run('profiles show acme -o json')).stdout)).toMatchObject({ account: accountOf('acme') });
    expect((await run('profiles show acme')).stdout).toContain(`  account: ${String(accountOf('acme'))}\n`);
    expect((await run('profiles list -o json')).stdout).not.toContain('account');
  });
});

describe('a profile without an account id', () => {
  it.each(['profiles show acme -o json', 'profiles list', 'whoami', 'contacts create --set phone=+1 --dry-run'])(
    'is read by %s, and the store is not written',
    async (line) => {
      const { run, write, file } = machine();
      write({});
      const before = [readFileSync(file, 'utf8'), statSync(file).mtimeMs, statSync(join(file, '..')).mode];
      expect(await run(line)).toMatchObject({ code: 0 });
      expect([readFileSync(file, 'utf8'), statSync(file).mtimeMs, statSync(join(file, '..')).mode]).toEqual(before);
    },
  );

  it('shows no account', async () => {
    const { run, write } = machine();
    write({});
    expect(JSON.parse((await run('profiles show acme -o json')).stdout)).toMatchObject({ account: null });
  });

  it('gets none when another profile is added', async () => {
    const { add, write, accountOf } = machine();
    write({});
    await add('beta');
    expect(accountOf('acme')).toBeUndefined();
    expect(accountOf('beta')).toMatch(id);
  });
});

describe('a stored profile', () => {
  it('is readable with a longer account id and additional fields', async () => {
    const { run, write } = machine();
    write({ account: 'an id of a later version', region: { name: 'x' } });
    const { stdout } = await run('profiles show acme -o json');
    expect(JSON.parse(stdout)).toMatchObject({ account: 'an id of a later version' });
  });

  it.each([7, '', 'a\nb', 'x'.repeat(101)])('is damaged if its account is %j', async (account) => {
    const { run, write } = machine();
    write({ account });
    const { code, stderr } = await run('profiles show acme');
    expect([code, stderr]).toEqual([3, expect.stringContaining('/profiles/acme/account ')]);
  });
});

function machine() {
  const home = newHome();
  const folder = join(home, '.config/bizmsg');
  const file = join(folder, 'profiles.json');
  const run = (line: string, stdin = '') => cli(line.split(' '), { home, stdin });
  return {
    file,
    run,
    add: (name: string) => run(`login --no-check --profile ${name} --base-url ${service} --key-stdin`, testKey),
    accountOf: (name: string): unknown => JSON.parse(readFileSync(file, 'utf8')).profiles[name].account,
    /** Writes a store with one profile that has these fields, too. */
    write: (fields: object) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const acme = { baseUrl: service, mode: 'sandbox', keys: { sandbox: testKey }, ...fields };
      writeFileSync(file, JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }));
    },
  };
}
