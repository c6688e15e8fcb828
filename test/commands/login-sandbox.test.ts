import { describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

async function local() {
  const home = newHome();
  const sandbox = await serveLocal(home);
  const run = (line: string, stdin?: string) => cli(line.split(' '), { home, ...(stdin !== undefined && { stdin }) });
  const url = (await run('sandbox status --query [0].url')).stdout.trim();
  return { sandbox, run, url };
}

describe('login --sandbox', () => {
  it('adds a profile for the running sandbox, which then works', async () => {
    const { sandbox, run, url } = await local();
    const { code, stdout } = await run('login --sandbox');
    expect(code).toBe(0);
    expect(stdout).toContain(`Logged in as sandbox\n  in use: true\n  base url: ${url}\n`);
    expect(stdout).not.toContain(sandbox.keys.sandbox);
    expect((await run('send-template +12025550101 welcome --profile sandbox')).stdout).toBe(
      `${sandbox.messages()[0]?.id}\n`,
    );
  });

  it('takes another name and address', async () => {
    const { run, url } = await local();
    const { stdout } = await run(`login --sandbox --profile practice --base-url ${url} --query name`);
    expect(stdout).toBe('practice\n');
  });

  it.each([
    ['login --sandbox --key-stdin', 2, '--sandbox and --key-stdin exclude each other'],
    ['login --sandbox --base-url http://127.0.0.1:1', 3, 'no sandbox of this machine runs at http://127.0.0.1:1'],
    ['login --sandbox --profile local', 2, 'local'],
  ])('%s is exit %i', async (line, exit, reason) => {
    const { run } = await local();
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(reason);
  });
});

it('login with a key of a sandbox at another address names that address', async () => {
  const { sandbox, run, url } = await local();
  const { code, stderr } = await run(
    'login --profile practice --base-url http://127.0.0.1:1 --key-stdin',
    sandbox.keys.sandbox,
  );
  expect([code, stderr]).toEqual([11, expect.stringContaining(`the sandbox that made it runs at ${url}\n`)]);
});
