import { expect, it } from 'vitest';
import type { Host } from '../../src/base/host.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { createClock } from '../../src/sandbox/time/clock.ts';
import { serve } from '../client/servers.ts';
import { binary, run } from '../support/bin.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';
import { counted, profiled } from '../support/pace.ts';
import { posixOnly } from '../support/system.ts';

const order = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042'];

/** A machine with a running sandbox, whose clock advances whenever a process waits. */
async function machine(options: SandboxOptions = {}) {
  const home = newHome();
  let time = 1_000_000;
  const later: Host['later'] = (milliseconds, run) => {
    const due = time + milliseconds;
    const immediate = setImmediate(() => {
      time = Math.max(time, due);
      run();
    });
    return () => clearImmediate(immediate);
  };
  const clock = createClock({ ahead: 0 }, () => Date.UTC(2026, 0, 1) + time);
  const sandbox = await serveLocal(home, { clock, ...options });
  const run = (...argv: string[]) => cli([...argv, '--profile', 'local'], { home, later, steady: () => time });
  return { home, sandbox, run };
}

function statuses(sandbox: Sandbox): readonly number[] {
  return sandbox.requests().map(({ status }) => status);
}

it('uses a plan that was set meanwhile', async () => {
  const { home, sandbox, run } = await machine();
  await run(...order);
  expect(counted(home)).toBeUndefined();
  sandbox.setPlan({ name: 'enterprise', perMinute: 2, without: [] });
  for (let request = 0; request < 3; request += 1) await run(...order);
  sandbox.setPlan({ name: 'enterprise', without: [] });
  expect((await run(...order)).stderr).not.toContain('waiting');
  expect(statuses(sandbox)).toEqual([200, 200, 200, 200, 200]);
});

it("counts from zero after the sandbox's clock was advanced by a minute", async () => {
  const { sandbox, run } = await machine({ plan: 'enterprise', rate: 2 });
  await run(...order);
  await run(...order);
  await sandbox.time.advance(60_000);
  expect((await run(...order)).stderr).not.toContain('other processes');
  expect(statuses(sandbox)).toEqual([200, 200, 200]);
});

it('counts nothing while the clock of the sandbox is frozen', async () => {
  const { home, sandbox, run } = await machine({ plan: 'starter' });
  sandbox.time.freeze();
  expect(await run(...order)).toMatchObject({ code: 0 });
  expect(counted(home)).toBeUndefined();
});

it('counts all sixteen sends of eight concurrent processes', async () => {
  posixOnly('it has no xargs');
  const service = await serve((_, __, response) => response.end('{"message_id":"msg_1"}'));
  const home = await profiled(service.url, 'enterprise', 60);
  const phones = Array.from({ length: 16 }, (_, at) => `+12025550${100 + at}\n`).join('');
  const words = ['xargs', '-P', '8', '-I', '{}', process.execPath, binary, 'send-template', '{}', 'order_update'];
  const { code, stderr } = await run(words, { home, input: phones });
  // Each send has the note about its sandbox key, and no other.
  expect([code, stderr.replaceAll(/^note: with a sandbox key .*\n?/gm, '')]).toEqual([0, '']);
  expect(service.seen).toHaveLength(16);
  expect(counted(home)).toBe(16);
});
