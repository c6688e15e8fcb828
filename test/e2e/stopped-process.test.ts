import type { ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { authority, serve } from '../client/servers.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { posixOnly } from '../support/system.ts';
import * as rig from './rig.ts';

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
  return { ...service, held, answerAll };
}

const batch = { words: ['send-batch', 'welcome', 'people.csv'], requests: rig.concurrency };
const single = { words: ['send-template', '+12025550101', 'welcome'], requests: 1 };
const processes = [
  { ...batch, scheme: 'http', isAnswered: true, code: 0, shows: '"sent":40,"failed":0,"unsure":0' },
  { ...batch, scheme: 'https', isAnswered: true, code: 0, shows: '"sent":40,"failed":0,"unsure":0' },
  { ...single, scheme: 'http', isAnswered: true, code: 0, shows: 'msg_1' },
  { ...single, scheme: 'http', isAnswered: false, code: 13, shows: '"timeout"' },
] as const;

/** Stops a process with requests in flight, until their time-outs have passed. */
async function stopped({ words, requests, scheme, isAnswered }: (typeof processes)[number]) {
  const [service, home] = [await openHolding(scheme), newHome()];
  rig.writePeople({ home }, 40);
  const env = { ...callerOf(service.url), NODE_EXTRA_CA_CERTS: join(home, 'ca.pem') };
  writeFileSync(env.NODE_EXTRA_CA_CERTS, authority);
  const argv = [...words, '--timeout', `${timeout}ms`, '--retries', '0', '-o', 'json'];
  const running = rig.start({ home, env }, argv);
  await expect.poll(() => service.held.length).toBe(requests);
  process.kill(running.pid, 'SIGSTOP');
  const since = performance.now();
  if (isAnswered) service.answerAll();
  await expect.poll(() => performance.now() - since).toBeGreaterThan(1.5 * timeout);
  process.kill(running.pid, 'SIGCONT');
  return { code: await running.ended, shown: running.stdout() + running.stderr() };
}

it('a process that was stopped reads the answers that have arrived before its requests time out', async () => {
  const ended = await Promise.all(processes.map(stopped));
  expect(ended).toEqual(processes.map(({ code, shows }) => ({ code, shown: expect.stringContaining(shows) })));
});
