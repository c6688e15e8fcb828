import { expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../src/base/host.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { createClock } from '../../src/sandbox/time/clock.ts';
import { temporaryHome } from '../support/bin.ts';
import { cli } from '../support/cli.ts';
import { serveLocal } from '../support/local.ts';
import { counted } from '../support/pace.ts';

const order = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042'];

/** A machine with a running sandbox, whose clock advances whenever a process waits. */
async function machine(options: SandboxOptions = {}) {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
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
  const sandbox = await serveLocal(home.path, { clock, ...options });
  const run = (...argv: string[]) =>
    cli([...argv, '--profile', 'local'], { home: home.path, later, steady: () => time });
  return { home: home.path, sandbox, run };
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

it.each([
  ['a plan without a limit', () => {}],
  [
    'a frozen clock',
    (sandbox: Sandbox) => {
      sandbox.setPlan({ name: 'starter', without: [] });
      sandbox.time.freeze();
    },
  ],
] as const)('counts nothing for %s', async (_, prepare) => {
  const { home, sandbox, run } = await machine();
  prepare(sandbox);
  expect(await run(...order)).toMatchObject({ code: 0 });
  expect(counted(home)).toBeUndefined();
});
