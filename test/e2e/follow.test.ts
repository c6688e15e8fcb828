import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
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
