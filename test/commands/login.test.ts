import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

async function local() {
  const home = newHome();
  const sandbox = await serveLocal(home);
  const run = (line: string, stdin?: string) => cli(line.split(' '), { home, ...(stdin !== undefined && { stdin }) });
  const url = (await run('sandbox status -o tsv --columns url --no-header')).stdout.trim();
  return { sandbox, run, url };
}

it('login with a key of a sandbox at another address names that address', async () => {
  const { sandbox, run, url } = await local();
  const { code, stderr } = await run(
    'login --profile practice --base-url http://127.0.0.1:1 --key-stdin',
    sandbox.keys.sandbox,
  );
  expect([code, stderr]).toEqual([11, expect.stringContaining(`the sandbox that made it runs at ${url}\n`)]);
});
