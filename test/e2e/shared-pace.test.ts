import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { type Answering, serve } from '../client/servers.ts';
import { bin, binary, cleanEnv, startBin } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { counted, profiled } from '../support/pace.ts';
import { posixOnly } from '../support/system.ts';

posixOnly('it has no xargs');

const answered: Answering = (_, __, response) => response.end('{"message_id":"msg_1"}');

async function machine(answer: Answering, rate?: number) {
  const service = await serve(answer);
  const home = await profiled(service.url, 'enterprise', rate);
  return { service, home };
}

it('counts all sixteen sends of eight concurrent processes', async () => {
  const { service, home } = await machine(answered, 60);
  const phones = Array.from({ length: 16 }, (_, at) => `+12025550${100 + at}\n`).join('');
  const words = ['-P', '8', '-I', '{}', process.execPath, binary, 'send-template', '{}', 'order_update'];
  const { exitCode, stderr } = await execa('xargs', words, { input: phones, env: cleanEnv(home), extendEnv: false });
  // Each send has the note about its sandbox key, and no other.
  expect([exitCode, stderr.replaceAll(/^note: with a sandbox key .*\n?/gm, '')]).toEqual([0, '']);
  expect(service.seen).toHaveLength(16);
  expect(counted(home)).toBe(16);
});

it('two batches at the full rate of a strict sliding window get no 429', async () => {
  const [most, window, rows] = [100, 1_000, 150];
  const taken: number[] = [];
  let refused = 0;
  const { home } = await machine((seen, request, response) => {
    if (seen.method !== 'POST') return response.writeHead(404).end('{}');
    const now = performance.now();
    const isFull = now - (taken.at(-most) ?? -Infinity) < window;
    if (!isFull) taken.push(now);
    else refused += 1;
    return isFull ? response.writeHead(429).end('{}') : answered(seen, request, response);
  });
  const batches = [0, 1].map((batch) => {
    const file = join(home, `people-${batch}.csv`);
    const phones = Array.from({ length: rows }, (_, at) => `+12025${555_000 + batch * rows + at}\n`);
    writeFileSync(file, `phone\n${phones.join('')}`);
    return bin(['send-batch', 'order_update', file, '--rate', `${most}/s`], { home });
  });
  expect((await Promise.all(batches)).map(({ code }) => code)).toEqual([0, 0]);
  expect([taken.length, refused]).toEqual([2 * rows, 0]);
});

it('counts the requests in flight of a killed process, and lets others continue', async () => {
  const { service, home } = await machine((seen, request, response) => {
    if (!seen.body.includes('never')) answered(seen, request, response);
  }, 60);
  const killed = startBin(['send-template', '+12025550101', 'never'], { home });
  onTestFinished(() => void alive(killed.pid, 'SIGKILL'));
  await expect.poll(() => service.seen.length, { interval: 5 }).toBe(1);
  alive(killed.pid, 'SIGKILL');
  await killed.ended;
  expect(counted(home)).toBe(1);
  expect(await bin(['send-template', '+12025550101', 'order_update'], { home })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^note: with a sandbox key .*\n$/),
  });
});
