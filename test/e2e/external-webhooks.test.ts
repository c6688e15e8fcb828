import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { locatorsIn } from '../../src/sandbox/remote/locator.ts';
import { openRemote } from '../../src/sandbox/remote/remote.ts';
import { startBin } from '../support/bin.ts';
import { alive, cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

// No machine has this address: a connection fails or never completes.
const elsewhere = 'http://192.0.2.1:9/hook';

/** A sandbox in the foreground. */
async function started(home: string, env: Readonly<Record<string, string>> = {}) {
  const running = startBin(['sandbox', 'start', '--port', '0'], { home, env });
  onTestFinished(() => void alive(running.pid, 'SIGKILL'));
  await expect.poll(() => running.stdout()).toContain('Ready');
  const [locator] = locatorsIn(join(home, '.local/state/bizmsg'));
  if (!locator) throw new Error('no sandbox was found');
  const stop = async () => {
    alive(running.pid, 'SIGTERM');
    await running.ended;
  };
  return { remote: openRemote(locator), stderr: running.stderr, stop };
}

it('sends no event to another machine while it runs with BIZMSG_LOCAL_ONLY=1', async () => {
  const home = newHome();
  const first = await started(home);
  await first.remote.ask('addWebhook', { url: elsewhere, external: true });
  await first.remote.ask('addWebhook', { url: 'http://127.0.0.1:9/' });
  await first.stop();

  const second = await started(home, { BIZMSG_LOCAL_ONLY: '1' });
  const [held, local] = await second.remote.ask('webhooks');
  expect(held).toMatchObject({ url: elsewhere, state: 'disabled', reason: expect.stringContaining('another machine') });
  expect(local).toMatchObject({ state: 'active' });
  expect(second.stderr()).toContain(`note: no events are sent to ${elsewhere}, which is on another machine: `);
  await second.remote.ask('trigger', { event: 'order.paid' });
  const deliveries = await second.remote.ask('deliveries');
  expect(deliveries.map(({ url }) => url)).toEqual([local?.['url']]);
  await second.stop();

  const third = await started(home);
  expect(await third.remote.ask('webhooks')).toMatchObject([{ state: 'active' }, { state: 'active' }]);
  expect(third.stderr()).not.toContain('another machine');
  await third.stop();
});

it('refuses --allow-external if BIZMSG_LOCAL_ONLY=1 is set', async () => {
  const home = newHome();
  const sandbox = await serveLocal(home);
  const argv = ['sandbox', 'set', `webhook=${elsewhere}`, '--allow-external'];
  const ran = await cli(argv, { home, env: { BIZMSG_LOCAL_ONLY: '1' } });
  expect(ran).toMatchObject({ code: 11, stdout: '' });
  expect(ran.stderr).toContain('error: blocked by BIZMSG_LOCAL_ONLY=1: --allow-external');
  expect(sandbox.webhooks.list()).toEqual([]);
});
