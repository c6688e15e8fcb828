import { describe, expect, it } from 'vitest';
import { cli } from '../../support/cli.ts';
import { newHome } from '../../support/fake-service.ts';
import { liveKey } from './people.ts';

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  cli(line.split(' '), { home: newHome(), env });

describe('BIZMSG_ACCOUNT', () => {
  it.each(['', '  '])('ends with 3 if it is set but empty: "%s"', async (name) => {
    const { code, stderr } = await run('whoami', { BIZMSG_ACCOUNT: name });
    expect([code, stderr]).toEqual([3, expect.stringContaining('BIZMSG_ACCOUNT is set but empty')]);
  });

  it.each([
    ['a\tb', 'cannot be printed'],
    ['shop\n', 'cannot be printed'],
    ['a\u200bb', 'cannot be printed'],
    ['x'.repeat(101), 'longer than 100 characters'],
    [liveKey, 'looks like a key'],
    ['whsec_abcdefghijklmnop', 'looks like a key'],
  ])('ends with 3 if it is %j, for every command, and is not printed', async (name, why) => {
    const { code, stdout, stderr } = await run('profiles list', { BIZMSG_ACCOUNT: name });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(new RegExp(`^error: BIZMSG_ACCOUNT .*${why}`));
    expect(stderr).not.toContain(name.trim());
  });

  it('ends with 3 if it is the key', async () => {
    const key = 'AbCdEfGhIjKlMnOp';
    const env = { BIZMSG_ACCOUNT: key, BIZMSG_API_KEY: `${key} `, BIZMSG_BASE_URL: 'https://api.example.com' };
    const { code, stderr } = await run('profiles list', env);
    expect([code, stderr]).toEqual([3, expect.stringContaining('BIZMSG_ACCOUNT is the key')]);
    expect(stderr).not.toContain(key);
  });

  it.each(['acme shop', 'Käse & Co. 🧀', '🧀'.repeat(100)])('can be %s', async (name) => {
    expect(await run('profiles list', { BIZMSG_ACCOUNT: name })).toMatchObject({ code: 0, stderr: '' });
  });

  it('is explained by help environment', async () => {
    expect((await run('help environment')).stdout).toContain('BIZMSG_ACCOUNT');
  });
});
