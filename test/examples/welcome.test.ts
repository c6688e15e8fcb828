import { createSandbox } from 'bizmsg/sandbox';
import { expect, it } from 'vitest';

it('delivers a welcome message', async () => {
  await using sandbox = createSandbox();
  const { url, env } = await sandbox.listen();
  await fetch(`${url}/api/public/messages/send-template`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.BIZMSG_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+12025550101', template: 'welcome', params: [] }),
  });
  const { data } = await sandbox.waitFor('message.delivered');
  expect(data).toMatchObject({ to: '+12025550101', template: 'welcome' });
});
