import { describe, expect, it } from 'vitest';
import { createPace, type Pace } from '../../../src/client/pace/pace.ts';
import { failureFrom, rig, ways } from '../rig.ts';
import { serve } from '../servers.ts';

const ready = (leaving: () => Promise<void> | undefined) => ({ beforeSend: leaving, beforeRetry: () => {} });

describe.each(ways)('over a %s connection, the callback before a send', (way) => {
  it('runs after the slot of each attempt, and each wait is reported before a retry', async () => {
    const events: string[] = [];
    const pace: Pace = {
      slot: async () => {
        events.push('slot');
        return (ended) => events.push(ended);
      },
      hold: () => {},
    };
    const service = await serve((_, __, response) => {
      events.push('sent');
      response.writeHead(service.seen.length < 2 ? 429 : 200).end('{}');
    });
    const { client } = await rig(way, service.url, { pace });
    await client.prepare('createContact')('{}', {
      beforeSend: () => void events.push('leaving'),
      beforeRetry: () => void events.push('waits'),
    });
    const [first, second] = [
      ['slot', 'leaving', 'sent', 'waits', 'limited'],
      ['slot', 'leaving', 'sent', 'done'],
    ];
    expect(events).toEqual([...first, ...second]);
  });

  it('delays the request until it resolves', async () => {
    const events: string[] = [];
    const service = await serve((_, __, response) => {
      events.push('sent');
      response.end('{}');
    });
    const leaving = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      events.push('ready');
    };
    const { client } = await rig(way, service.url);
    await client.prepare('createContact')('{}', ready(leaving));
    expect(events).toEqual(['ready', 'sent']);
  });

  it.each([
    [
      'synchronously',
      () => {
        throw new Error('no');
      },
    ],
    ['asynchronously', () => Promise.reject(new Error('no'))],
  ])('cancels the send if it fails %s, and the slot is returned', async (_, leaving) => {
    const events: string[] = [];
    const pace: Pace = { slot: () => (how) => events.push(how), hold: () => {} };
    const service = await serve((_request, __, response) => response.end('{}'));
    const { client } = await rig(way, service.url, { pace });
    await expect(client.prepare('createContact')('{}', ready(leaving))).rejects.toThrow('no');
    expect([events, service.seen]).toEqual([['unsent'], []]);
  });

  it('fails the request if the callback before a retry fails, and the slot is returned', async () => {
    const events: string[] = [];
    const pace: Pace = { slot: () => (how) => events.push(how), hold: () => events.push('hold') };
    const service = await serve((_request, __, response) => response.writeHead(429).end('{}'));
    const { client } = await rig(way, service.url, { pace });
    const hooks = { beforeSend: () => undefined, beforeRetry: () => Promise.reject(new Error('no')) };
    await expect(client.prepare('createContact')('{}', hooks)).rejects.toThrow('no');
    expect([events, service.seen.length]).toEqual([['hold', 'limited'], 1]);
  });

  it('cancels the send if the user aborts meanwhile', async () => {
    const user = new AbortController();
    const service = await serve((_, __, response) => response.end('{}'));
    const { client } = await rig(way, service.url, { stopSending: user.signal });
    const leaving = async () => user.abort('SIGINT');
    expect(await failureFrom(client.prepare('createContact')('{}', ready(leaving)))).toMatchObject({
      exit: 'interrupted',
    });
    expect(service.seen).toEqual([]);
  });

  it('does not run if the user aborts during the wait for a slot', async () => {
    const user = new AbortController();
    const events: string[] = [];
    const pace = createPace({ now: () => 0, later: () => () => {} });
    pace.hold(1_000);
    const { client } = await rig(way, 'http://127.0.0.1:9', { pace, stopSending: user.signal });
    const failure = failureFrom(
      client.prepare('createContact')(
        '{}',
        ready(() => void events.push('leaving')),
      ),
    );
    user.abort('SIGINT');
    expect([await failure, events]).toMatchObject([{ exit: 'interrupted', done: 'no' }, []]);
  });
});
