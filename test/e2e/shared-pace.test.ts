import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { profiled } from '../session/run-client-rig.ts';
import { type Answering, serve } from '../client/servers.ts';
import { bin, binary, cleanEnv, startBin } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { counted } from '../support/pace.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('it has no xargs');

const answered: Answering = (_, __, response) => response.end('{"message_id":"msg_1"}');

async function machine(answer: Answering, rate = 60) {
  const service = await serve(answer);
  const { home = '' } = await profiled(service.url, 'enterprise', rate);
  return { service, home };
}

it('counts all sixteen sends of eight concurrent processes', async () => {
  const { service, home } = await machine(answered);
  const phones = Array.from({ length: 16 }, (_, at) => `+12025550${100 + at}\n`).join('');
  const words = ['-P', '8', '-I', '{}', process.execPath, binary, 'send-template', '{}', 'order_update'];
  const { exitCode, stderr } = await execa('xargs', words, { input: phones, env: cleanEnv(home), extendEnv: false });
  // Each send has the note about its sandbox key, and no other.
  expect([exitCode, stderr.replaceAll(/^note: with a sandbox key .*\n?/gm, '')]).toEqual([0, '']);
  expect(service.seen).toHaveLength(16);
  expect(counted(home)).toEqual({ finished: 16, slots: [] });
});

it('counts the requests in flight of a killed process, and lets others continue', async () => {
  const { service, home } = await machine((seen, request, response) => {
    if (!seen.body.includes('never')) answered(seen, request, response);
  });
  const killed = startBin(['send-template', '+12025550101', 'never'], { home });
  onTestFinished(() => void alive(killed.pid, 'SIGKILL'));
  await expect.poll(() => service.seen.length, { interval: 5 }).toBe(1);
  alive(killed.pid, 'SIGKILL');
  await killed.ended;
  expect(counted(home)?.slots).toEqual([1]);
  expect(await bin(['send-template', '+12025550101', 'order_update'], { home })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^note: with a sandbox key .*\n$/),
  });
});
