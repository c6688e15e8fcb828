import { describe, expect, it } from 'vitest';
import type { Pace } from '../../src/client/pace.ts';
import { createMachine } from './machine.ts';
import { failureFrom, rig } from './rig.ts';
import { deadPort, serve } from './servers.ts';

describe('an exchange', () => {
  it('lets its caller act between the slot and the send of each attempt', async () => {
    const events: string[] = [];
    const pace: Pick<Pace, 'slot' | 'hold'> = {
      slot: async () => {
        events.push('slot');
        return (ended) => events.push(ended);
      },
      hold: () => events.push('hold'),
    };
    const service = await serve((_, __, response) => {
      events.push('sent');
      response.writeHead(service.seen.length < 2 ? 429 : 200).end('{}');
    });
    const { client } = await rig('direct', service.url, { pace });
    const exchange = client.prepare('createContact')('{}');
    const outcomes: string[] = [];
    while (outcomes.length < 2) {
      const slot = await exchange.slot();
      events.push('claimed');
      outcomes.push((await exchange.send(slot)).outcome);
    }
    expect(outcomes).toEqual(['again', 'done']);
    const [first, second] = [
      ['slot', 'claimed', 'sent', 'hold', 'limited'],
      ['slot', 'claimed', 'sent', 'done'],
    ];
    expect(events).toEqual([...first, ...second]);
  });

  it('does not send if the user aborts after the slot, and returns the slot', async () => {
    const user = new AbortController();
    const events: string[] = [];
    const pace: Pick<Pace, 'slot' | 'hold'> = { slot: () => (how) => events.push(how), hold: () => {} };
    const service = await serve((_, __, response) => response.end('{}'));
    const { client } = await rig('direct', service.url, { pace, signal: user.signal });
    const exchange = client.prepare('createContact')('{}');
    const slot = await exchange.slot();
    user.abort('SIGINT');
    expect(await exchange.send(slot)).toMatchObject({ outcome: 'failed', error: { exit: 'interrupted', done: 'no' } });
    expect([events, service.seen]).toEqual([['unsent'], []]);
  });

  it('does not wait for its slot any longer than its caller', async () => {
    const caller = new AbortController();
    const pace = createMachine().start({ limits: [] }).pace;
    pace.hold(1_000);
    const { client } = await rig('direct', 'http://127.0.0.1:9', { pace });
    const slot = Promise.resolve(client.prepare('createContact')('{}').slot(caller.signal));
    caller.abort();
    expect(await failureFrom(slot)).toMatchObject({ exit: 'interrupted', done: 'no' });
  });

  it('does not pause before a retry any longer than its caller', async () => {
    const caller = new AbortController();
    const sleep = (_: number, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const { client } = await rig('direct', `http://127.0.0.1:${await deadPort()}`, { sleep });
    const exchange = client.prepare('createContact')('{}');
    expect(await exchange.send(await exchange.slot())).toEqual({ outcome: 'again' });
    const slot = Promise.resolve(exchange.slot(caller.signal));
    caller.abort();
    expect(await failureFrom(slot)).toMatchObject({ exit: 'interrupted', done: 'no' });
  });
});
