import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bin, temporaryHome } from '../support/bin.ts';

/** The first steps of a new user without a terminal; the tests share one home and run in order. */
describe('the first minutes', { sequential: true }, () => {
  const home = temporaryHome();
  const run = (...argv: string[]) => bin(argv, { home: home.path });
  let first = '';

  beforeAll(async () => {
    first = (
      await run('send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042', '--profile', 'local')
    ).stdout;
  });
  afterAll(async () => {
    await run('sandbox', 'stop');
    home.remove();
  });

  it('sends a message with no configuration except --profile local', () => {
    expect(first).toMatch(/^msg_sandbox_\w+\n$/);
  });

  it('prints nothing on stderr with --quiet', async () => {
    const { stderr } = await run(
      'send-template',
      '+12025550101',
      'order_update',
      '-p',
      'Ada',
      '-p',
      '1',
      '--profile',
      'local',
      '--quiet',
    );
    expect(stderr).toBe('');
  });

  it('sends the next message through the same sandbox, with another id', async () => {
    const second = await run(
      'send-template',
      '+12025550101',
      'order_update',
      '-p',
      'Ada',
      '-p',
      'A-1042',
      '--profile',
      'local',
    );
    const running: unknown = JSON.parse((await run('sandbox', 'status', '-o', 'json')).stdout);
    expect(second.stdout).toMatch(/^msg_sandbox_\w+\n$/);
    expect(second.stdout).not.toBe(first);
    expect(running).toHaveLength(1);
  });

  it('lists a created contact', async () => {
    await run('contacts', 'create', '--set', 'phone=+12025550142', '--set', 'name=Ada', '--profile', 'local');
    const { stdout } = await run('contacts', 'list', '-o', 'json', '--profile', 'local');
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ phone: '+12025550142', name: 'Ada' }));
  });

  it('fails without --profile instead of guessing', async () => {
    const { code, stdout, stderr } = await run('contacts', 'list');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('--profile local');
  });

  it('creates files that only the user can read', () => {
    const state = join(home.path, '.local/state/bizmsg');
    const open = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter(
      (name) => (statSync(join(state, name)).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
  });
});
