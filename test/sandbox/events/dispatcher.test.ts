import { expect, it, onTestFinished } from 'vitest';
import type { SandboxEvent } from '../../../src/sandbox/state/records.ts';
import { manualClock } from '../../../src/sandbox/time/clock.ts';
import { createDispatcher } from '../../../src/sandbox/events/dispatcher.ts';
import { withFanOut } from '../../../src/sandbox/events/fan-out.ts';
import { openStore } from '../../../src/sandbox/state/store.ts';
import { createIds } from '../../../src/sandbox/state/ids.ts';
import { defaultShape } from '../../../src/sandbox/api/shapes.ts';
import { createWebhooks } from '../../../src/sandbox/events/webhooks.ts';
import { start } from '../calls.ts';
import { receiver } from '../receiver.ts';

it('sends no event that a reset of the logs has deleted', async () => {
  const [clock, ids] = [manualClock(start), createIds('a seed')];
  const store = withFanOut(openStore(undefined), ids);
  const courier = createDispatcher({ store, clock, ids, shape: defaultShape, warn: () => {} });
  onTestFinished(() => courier.close());
  const { url, received } = await receiver((response) => response.writeHead(500).end());
  createWebhooks({ store, ids, clock }).add({ url });
  const event: SandboxEvent = { id: 'evt_1', type: 'order.paid', at: start, data: {} };
  store.commit([{ type: 'event', event }]);
  await courier.settled();
  store.commit([{ type: 'event', event: { ...event, id: 'evt_2' } }]);
  store.commit([{ type: 'reset', what: 'logs' }]);
  await courier.settled();
  await clock.advance(86_400_000, courier.settled);
  expect(received.map(({ id }) => id)).toEqual(['evt_1']);
});

it('settles immediately when closed', async () => {
  const [clock, ids] = [manualClock(start), createIds('a seed')];
  const store = withFanOut(openStore(undefined), ids);
  const courier = createDispatcher({ store, clock, ids, shape: defaultShape, warn: () => {} });
  const { url, received } = await receiver();
  createWebhooks({ store, ids, clock }).add({ url });
  store.commit([{ type: 'event', event: { id: 'evt_1', type: 'order.paid', at: start, data: {} } }]);
  courier.close();
  await courier.settled();
  expect(received).toEqual([]);
});
