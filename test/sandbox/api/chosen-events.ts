import { expect } from 'vitest';
import { createClock } from '../../../src/sandbox/time/clock.ts';
import { order, paths, start } from '../calls.ts';
import type { Proof } from './chosen-answers.ts';
import { receiver } from '../receiver.ts';

/** Real time, because another implementation verifies the signatures. */
const onTheWall = () => ({ clock: createClock({ frozen: start }) });

/** Proves each choice about deliveries, by the point that the document leaves open. */
export const eventProofs: Readonly<Record<string, Proof>> = {
  "the fields of an event's payload": {
    holds: async (to) => {
      const { url, got } = await receiver();
      to.server.sandbox.webhooks.add({ url });
      const { body } = await to.post(paths.contacts, { phone: '+12025550142' });
      const [event] = await got(1);
      expect(JSON.parse(event?.body ?? '')).toEqual({
        type: 'contact.created',
        timestamp: '2026-05-01T12:00:00.000Z',
        data: body,
      });
    },
  },
  'how a URL is registered': {
    holds: async (to) => {
      const { webhooks, time } = to.server.sandbox;
      const [all, some] = [await receiver(), await receiver()];
      webhooks.add({ url: all.url });
      webhooks.add({ url: some.url, events: ['message.read'] });
      await to.post(paths.send, order);
      await time.advance(10_000);
      expect(all.received.map(({ type }) => type)).toEqual(['message.delivered', 'message.read']);
      expect(some.received.map(({ type }) => type)).toEqual(['message.read']);
      expect(() => webhooks.add({ url: 'https://example.com/' })).toThrow('this machine');
      expect(webhooks.list()).toHaveLength(2);
    },
  },
  'how a delivery is signed': {
    options: onTheWall,
    holds: async (to) => {
      const { sandbox } = to.server;
      const before = sandbox.secret();
      const { url, got, verify, received } = await receiver();
      sandbox.webhooks.add({ url });
      sandbox.webhooks.rotate();
      await to.post(paths.contacts, { phone: '+12025550142' });
      await got(1);
      for (const secret of [before, sandbox.secret()]) verify(secret);
      await sandbox.time.advance(24 * 3_600_000);
      await to.post(paths.contacts, { phone: '+12025550143' });
      await got(2);
      expect(received.map(({ headers }) => headers['webhook-signature']?.split(' ').length)).toEqual([2, 1]);
      verify(sandbox.secret());
      expect(() => verify(before)).toThrow('No matching signature');
    },
  },
  'what a receiver has to answer, and what follows when it does not': {
    options: onTheWall,
    holds: async (to) => {
      const { sandbox } = to.server;
      const came: number[] = [];
      const { url, received, verify } = await receiver((response) => {
        came.push(sandbox.clock.now());
        response.writeHead(came.length === 10 ? 302 : 503, { location: '/elsewhere' }).end();
      });
      sandbox.webhooks.add({ url });
      await to.post(paths.contacts, { phone: '+12025550142' });
      await sandbox.settled();
      await sandbox.time.advance(90 * 3_600_000);
      const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440];
      const waits = came.slice(1).map((at, index) => (at - (came[index] ?? 0)) / 60_000);
      expect(waits.map((wait, index) => wait / (minutes[index] ?? 0))).toEqual(
        minutes.map(() => expect.toSatisfy((ratio: number) => ratio >= 1 && ratio <= 1.1)),
      );
      verify(sandbox.secret());
      expect(new Set(received.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
      expect([received.length, sandbox.deliveries()]).toMatchObject([10, [{ state: 'dead' }]]);
    },
  },
};
