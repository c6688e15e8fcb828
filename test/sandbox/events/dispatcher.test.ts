import { expect, it } from 'vitest';
import { courierWorld, receiver } from '../receiver.ts';

it('sends no event that a reset of the logs has deleted', async () => {
  const { sandbox } = courierWorld();
  const { url, received } = await receiver((response) => response.writeHead(500).end());
  sandbox.webhooks.add({ url });
  sandbox.trigger('order.paid');
  await sandbox.settled();
  sandbox.trigger('order.paid');
  sandbox.reset('logs');
  await sandbox.settled();
  await sandbox.time.advance(86_400_000);
  expect(received.length).toBe(1);
});

it('settles immediately when closed', async () => {
  const { sandbox } = courierWorld();
  const { url, received } = await receiver();
  sandbox.webhooks.add({ url });
  sandbox.trigger('order.paid');
  sandbox.close();
  await sandbox.settled();
  expect(received).toEqual([]);
});
