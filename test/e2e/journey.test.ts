import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin, temporaryHome } from '../support/bin.ts';

const order = 'send-template +12025550101 order_update -p Ada -p A-1042';

/** The first steps of a new user without a terminal; the tests share one home and run in order. */
describe('the first minutes', { sequential: true }, () => {
  const home = temporaryHome();
  const run = (line: string) => bin(line.split(' '), { home: home.path });
  const local = (line: string) => run(`${line} --profile local`);
  let first = '';

  beforeAll(async () => {
    first = (await local(order)).stdout;
  });
  afterAll(async () => {
    await run('sandbox stop');
    home.remove();
  });

  it('sends a message with no configuration except --profile local', () => {
    expect(first).toMatch(/^msg_sandbox_\w+\n$/);
  });

  it('prints nothing on stderr with --quiet', async () => {
    expect((await local(`${order} --quiet`)).stderr).toBe('');
  });

  it('sends the next message through the same sandbox, with another id', async () => {
    const second = await local(order);
    expect(second.stdout).toMatch(/^msg_sandbox_\w+\n$/);
    expect(second.stdout).not.toBe(first);
    expect(JSON.parse((await run('sandbox status -o json')).stdout)).toHaveLength(1);
  });

  it('lists a created contact', async () => {
    await local('contacts create --set phone=+12025550142 --set name=Ada');
    const { stdout } = await local('contacts list -o json');
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ phone: '+12025550142', name: 'Ada' }));
  });

  it('fails without --profile instead of guessing', async () => {
    const { code, stdout, stderr } = await run('contacts list');
    expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('--profile local')]);
  });

  it('creates files that only the user can read', () => {
    const state = join(home.path, '.local/state/bizmsg');
    const files = readdirSync(state, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => (statSync(join(state, name)).mode & 0o077) !== 0)).toEqual([]);
  });
});
