import { execa } from 'execa';
import { expect, it } from 'vitest';
import { serve } from '../client/servers.ts';
import { binary, cleanEnv } from '../support/bin.ts';
import { counted, profiled } from '../support/pace.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('it has no xargs');

it('counts all sixteen sends of eight concurrent processes', async () => {
  const service = await serve((_, __, response) => response.end('{"message_id":"msg_1"}'));
  const home = await profiled(service.url, 'enterprise', 60);
  const phones = Array.from({ length: 16 }, (_, at) => `+12025550${100 + at}\n`).join('');
  const words = ['-P', '8', '-I', '{}', process.execPath, binary, 'send-template', '{}', 'order_update'];
  const { exitCode, stderr } = await execa('xargs', words, { input: phones, env: cleanEnv(home), extendEnv: false });
  // Each send has the note about its sandbox key, and no other.
  expect([exitCode, stderr.replaceAll(/^note: with a sandbox key .*\n?/gm, '')]).toEqual([0, '']);
  expect(service.seen).toHaveLength(16);
  expect(counted(home)).toBe(16);
});
