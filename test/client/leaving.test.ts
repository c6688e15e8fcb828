import { describe, expect, it } from 'vitest';
import { createPace, type Pace } from '../../src/client/pace/pace.ts';
import { failureFrom, rig, ways } from './rig.ts';
import { serve } from './servers.ts';

const ready = (leaving: () => Promise<void> | undefined) => ({ leaving, waits: () => {} });

describe.each(ways)('over a %s connection, a request of many that is about to leave', (way) => {
  it('reports each departure after it has its slot, and each wait before its repetition', async () => {
    const told: string[] = [];
    const pace: Pace = {
      slot: async () => {
        told.push('slot');
        return (ended) => told.push(ended);
      },
      hold: () => {},
    };
    const service = await serve((_, __, response) => {
      told.push('sent');
      response.writeHead(service.seen.length < 2 ? 429 : 200).end('{}');
    });
    const { client } = await rig(way, service.url, { pace });
    await client.calling('createContact')('{}', {
      leaving: () => void told.push('leaving'),
      waits: () => told.push('waits'),
    });
    const [first, second] = [
      ['slot', 'leaving', 'sent', 'waits', 'limited'],
      ['slot', 'leaving', 'sent', 'done'],
    ];
    expect(told).toEqual([...first, ...second]);
  });

  it('waits until that is settled', async () => {
    const told: string[] = [];
    const service = await serve((_, __, response) => {
      told.push('sent');
      response.end('{}');
    });
    const leaving = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      told.push('ready');
    };
    const { client } = await rig(way, service.url);
    await client.calling('createContact')('{}', ready(leaving));
    expect(told).toEqual(['ready', 'sent']);
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('no');
      },
    ],
    ['in the end', () => Promise.reject(new Error('no'))],
  ])('stays when it is told %s that it may not, and gives its slot back', async (_, leaving) => {
    const told: string[] = [];
    const pace: Pace = { slot: () => (how) => told.push(how), hold: () => {} };
    const service = await serve((_request, __, response) => response.end('{}'));
    const { client } = await rig(way, service.url, { pace });
    await expect(client.calling('createContact')('{}', ready(leaving))).rejects.toThrow('no');
    expect([told, service.seen]).toEqual([['unsent'], []]);
  });

  it('stays when the user ends meanwhile', async () => {
    const user = new AbortController();
    const service = await serve((_, __, response) => response.end('{}'));
    const { client } = await rig(way, service.url, { boarding: user.signal });
    const leaving = async () => user.abort('SIGINT');
    expect(await failureFrom(client.calling('createContact')('{}', ready(leaving)))).toMatchObject({
      exit: 'interrupted',
    });
    expect(service.seen).toEqual([]);
  });

  it('says nothing when the user ends while it waits for its slot', async () => {
    const user = new AbortController();
    const told: string[] = [];
    const pace = createPace({ now: () => 0, later: () => () => {} });
    pace.hold(1_000);
    const { client } = await rig(way, 'http://127.0.0.1:9', { pace, boarding: user.signal });
    const failure = failureFrom(
      client.calling('createContact')(
        '{}',
        ready(() => void told.push('leaving')),
      ),
    );
    user.abort('SIGINT');
    expect([await failure, told]).toMatchObject([{ exit: 'interrupted', done: 'no' }, []]);
  });
});
