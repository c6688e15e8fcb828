import { expect, it } from 'vitest';
import { local } from './sandbox-rig.ts';

const send = 'send-template +12025550103 welcome --profile local';

it('sandbox clock +5s advances the clock and prints what fired', async () => {
  const { run } = await local();
  const { stdout: id } = await run(send);
  const { stdout } = await run('sandbox clock +5s');
  expect(stdout).toMatch(
    /^2026-05-01T12:00:05\.000Z {2}message\.delivered {2}evt_\S+ {2}msg_sandbox_\S+\n2026-05-01T12:00:05\.000Z, frozen\n$/,
  );
  expect(stdout).toContain(id.trim());
});

it('sandbox clock next advances to the next receipt, shown in local time on a terminal', async () => {
  const { run } = await local();
  await run(send);
  expect((await run('sandbox clock next', { terminal: 120 })).stdout).toMatch(
    /^May 1 \d\d:\d\d {2}message\.delivered {2}evt_/,
  );
});

it('sandbox clock shows how far it is ahead, and freezes', async () => {
  const { run } = await local();
  await run('sandbox clock real');
  await run('sandbox clock +400d');
  expect((await run('sandbox clock')).stdout).toMatch(/Z, 400 d ahead of real time\n$/);
  expect((await run('sandbox clock freeze')).stdout).toMatch(/Z, frozen\n$/);
});

it.each([
  ['5s', 'use +5s, freeze'],
  ['12:30', 'use +5s, freeze, real, next'],
  ['+soon', 'is not a span of time'],
  ['next-mnth', 'did you mean next-month?'],
  ['later', 'use +5s, freeze, real, next, next-minute'],
])('sandbox clock %s exits 2', async (word, reason) => {
  const { run } = await local();
  const stderr: unknown = expect.stringContaining(reason);
  expect(await run(`sandbox clock ${word}`)).toMatchObject({ code: 2, stdout: '', stderr });
});
