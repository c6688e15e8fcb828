import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { bearing, paths } from '../sandbox/calls.ts';
import { receiver } from '../sandbox/receiver.ts';
import { type Running, startBin } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { posixOnly } from '../support/system.ts';
import { type Machine, message, openMachine } from '../commands/machine.ts';

posixOnly('a signal ends a process immediately');

let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});

const start = (...words: readonly string[]): Running => {
  const running = startBin(words, { home: machine.home });
  onTestFinished(() => void alive(running.pid, 'SIGKILL'));
  return running;
};
const create = (phone: string) => {
  const headers = bearing(machine.sandbox.keys.sandbox);
  const body = JSON.stringify({ phone });
  return machine.sandbox.answer({ method: 'POST', target: paths.contacts, headers, body });
};
const send = async () => (await machine.run(message)).stdout.trim();

/** Follows a list until it has printed the second record. */
async function followed(line: string, first: string, makeSecond: () => Promise<unknown>): Promise<readonly string[]> {
  const following = start(...line.split(' '));
  await expect.poll(following.stdout).toContain(first);
  await makeSecond();
  await expect.poll(() => following.stdout().split('\n').length).toBe(4);
  process.kill(following.pid, 'SIGINT');
  expect([await following.ended, following.stderr()]).toEqual([0, '']);
  return following.stdout().split('\n').slice(1, -1);
}

describe('a followed list prints what is there, then what is new, until Ctrl-C', () => {
  it('sandbox log of requests', async () => {
    await create('+12025550142');
    const lines = await followed('sandbox log --type requests -f --columns path', paths.contacts, () => send());
    expect(lines).toEqual([paths.contacts, paths.send]);
  });

  it('sandbox log of all types', async () => {
    machine.sandbox.webhooks.add({ url: (await receiver()).url });
    await create('+12025550142');
    await machine.sandbox.settled();
    const following = start('sandbox', 'log', '-f', '--columns', 'type,about', '--no-header');
    await expect.poll(() => following.stdout().split('\n').length).toBe(3);
    await create('+12025550143');
    await expect.poll(() => following.stdout().split('\n').length).toBe(5);
    const lines = following.stdout().split('\n').toSorted();
    expect(lines).toEqual([
      '',
      ...Array(2).fill('event\tcontact.created'),
      ...Array(2).fill('request\tPOST /contacts'),
    ]);
  });

  it('sandbox log of messages', async () => {
    const first = await send();
    let second = '';
    const lines = await followed(
      'sandbox log --type messages -f --columns id',
      first,
      async () => (second = await send()),
    );
    expect(lines).toEqual([first, second]);
  });

  it('sandbox log of deliveries, each one after its first attempt', async () => {
    const { url } = await receiver();
    machine.sandbox.webhooks.add({ url });
    await create('+12025550142');
    await machine.sandbox.settled();
    const line = 'sandbox log --type deliveries -f --columns type,state,attempts';
    const lines = await followed(line, 'contact.created', () => Promise.resolve(create('+12025550143')));
    expect(lines).toEqual(['contact.created\tdelivered\t1', 'contact.created\tdelivered\t1']);
  });

  it('webhooks list, also if nothing was recorded before', async () => {
    const early = start('webhooks', 'list', '-f', '-o', 'ndjson');
    const listening = start('webhooks', 'listen', '--port', '0', '-o', 'ndjson');
    await expect.poll(listening.stdout).toContain('"url":');
    const { url }: { readonly url: string } = JSON.parse(listening.stdout().split('\n')[0] ?? '');
    const post = (type: string) => fetch(url, { method: 'POST', body: JSON.stringify({ type }) });
    await post('message.read');
    await expect.poll(early.stdout).toContain('"name":"message.read"');
    const lines = await followed('webhooks list -f --columns name', 'message.read', () => post('order.paid'));
    expect(lines).toEqual(['message.read', 'order.paid']);
  });
});
