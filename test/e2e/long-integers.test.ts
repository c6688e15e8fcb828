import { expect, it, onTestFinished } from 'vitest';
import { bin, temporaryHome } from '../support/bin.ts';
import { stopSandboxes } from '../support/cli.ts';

it('keeps integers above 2^53 in the sandbox, even after a restart', async () => {
  const { path: home, remove } = temporaryHome();
  onTestFinished(async () => {
    await stopSandboxes(home);
    remove();
  });
  const local = (...argv: readonly string[]) => bin([...argv, '--profile', 'local'], { home });
  const create = ['--set', 'phone=+12025550188', '--set-json', 'attributes={"crm":9223372036854775807}'];
  expect((await local('contacts', 'create', ...create, '-o', 'json')).stdout).toContain('9223372036854775807');
  await stopSandboxes(home);
  expect((await local('contacts', 'list', '-o', 'json')).stdout).toContain('9223372036854775807');
});
