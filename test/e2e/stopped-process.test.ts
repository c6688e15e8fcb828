import type { ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { authority, serve } from '../client/servers.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { posixOnly } from '../support/system.ts';
import * as rig from './import-rig.ts';

posixOnly('a process cannot be stopped and continued');

/** Milliseconds after which a request times out. */
const timeout = 3_000;

/** A service that answers all requests once `answerAll` was called. */
async function openHolding(scheme: 'http' | 'https') {
  const held: ServerResponse[] = [];
  let holds = true;
  const answer = (response: ServerResponse) => void response.end('{"message_id":"msg_1"}');
  const service = await serve(({ method }, _, response) => {
    if (method === 'GET') response.end('[]');
    else if (holds) held.push(response);
    else answer(response);
  }, scheme);
  const answerAll = () => {
    holds = false;
    for (const response of held) answer(response);
  };
  const env = { ...callerOf(service.url), NODE_EXTRA_CA_CERTS: join(newHome(), 'ca.pem') };
  writeFileSync(env.NODE_EXTRA_CA_CERTS, authority);
  return { ...service, env, held, answerAll };
}

/** The time-outs of its requests pass while the process is stopped. */
async function stopped(pid: number, meanwhile: () => void): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const since = performance.now();
  meanwhile();
  await expect.poll(() => performance.now() - since).toBeGreaterThan(1.5 * timeout);
  process.kill(pid, 'SIGCONT');
}

const words = ['--timeout', `${timeout}ms`, '--retries', '0', '-o', 'json'];

it.each(['http', 'https'] as const)(
  'a batch over %s that was stopped reads the answers that have arrived before its requests time out',
  async (scheme) => {
    const service = await openHolding(scheme);
    const home = newHome();
    const argv = ['send-batch', 'welcome', rig.writePeople({ home }, 40), ...words];
    const running = rig.start({ home, env: service.env }, argv);
    await expect.poll(() => service.held.length).toBe(rig.concurrency);
    await stopped(running.pid, service.answerAll);
    expect(await running.ended).toBe(0);
    expect(rig.summaryIn(running.stdout())).toMatchObject({ sent: 40, unsure: 0, failed: 0 });
  },
);

it('a single message that was stopped reads the answer that has arrived before it times out', async () => {
  const service = await openHolding('http');
  const argv = ['send-template', '+12025550101', 'welcome', ...words];
  const running = rig.start({ home: newHome(), env: service.env }, argv);
  await expect.poll(() => service.held.length).toBe(1);
  await stopped(running.pid, service.answerAll);
  expect([await running.ended, running.stdout()]).toEqual([0, expect.stringContaining('msg_1')]);
});

it('a request without an answer still times out after the process was stopped', async () => {
  const service = await openHolding('http');
  const argv = ['send-template', '+12025550101', 'welcome', ...words];
  const running = rig.start({ home: newHome(), env: service.env }, argv);
  await expect.poll(() => service.held.length).toBe(1);
  await stopped(running.pid, () => {});
  expect([await running.ended, running.stderr()]).toEqual([13, expect.stringContaining('"timeout"')]);
});
