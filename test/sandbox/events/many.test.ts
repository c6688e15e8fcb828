import { expect, it, onTestFinished } from 'vitest';
import { createClock } from '../../../src/sandbox/time/clock.ts';
import { isLong } from '../../support/long-tests.ts';
import { calls, order, paths } from '../calls.ts';
import { receiver } from '../receiver.ts';

const [contacts, sends] = isLong ? [5_000, 20_000] : [1_000, 2_000];

it(
  `a slow receiver gets every event of a broadcast to ${contacts} contacts and of ${sends} sends, in order per message`,
  {
    timeout: 120_000,
  },
  async () => {
    const { sandbox, post } = calls({ clock: createClock() });
    onTestFinished(() => sandbox.close());
    const answers = [500, 200, 200, 200, 200];
    let count = 0;
    const { url, received, got } = await receiver((response) => {
      const status = (count += 1) < 100 ? (answers[count % 5] ?? 200) : 200;
      if (count % 50 === 0) setTimeout(() => response.writeHead(status).end(), 20);
      else response.writeHead(status).end();
    });
    sandbox.webhooks.add({ url, events: ['message.delivered', 'message.read'] });
    sandbox.reset('contacts');
    sandbox.seed({ contacts: Array.from({ length: contacts - 5 }, (_, number) => ({ phone: `+1${number}` })) });
    sandbox.trigger('broadcast.completed', { name: 'All', template: 'welcome' });
    for (let number = 0; number < sends; number += 1) await post(paths.send, order);
    const messages = contacts + sends;
    await got(2 * messages);
    await expect.poll(() => sandbox.counts().waiting, { timeout: 60_000 }).toBe(0);
    const accepted = sandbox.deliveries({ limit: 1_000 });
    expect(accepted.every(({ state }) => state === 'delivered')).toBe(true);

    const types = new Map<unknown, string[]>();
    for (const { data, type } of received) {
      const { message_id: id } = data;
      types.set(id, [...(types.get(id) ?? []), String(type)]);
    }
    expect(types.size).toBe(messages);
    // The first attempts are in order. A retry repeats an event that the receiver did not accept.
    const first = [...types.values()].map((all) => [...new Set(all)].join());
    expect(first.filter((order) => order !== 'message.delivered,message.read')).toEqual([]);
  },
);
