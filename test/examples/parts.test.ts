import { createSandbox, type Sandbox } from 'bizmsg/sandbox';
import { expect, it } from 'vitest';

it('controls templates, faults, limits and events', async () => {
  await using sandbox = createSandbox({ clock: 'manual' });
  sandbox.load({ templates: [{ name: 'thanks', body: 'Thank you, {{1}}!' }] });
  expect(sandbox.templates().at(-1)).toMatchObject({ name: 'thanks', status: 'APPROVED' });

  sandbox.faults.add({ on: 'sendTemplate', effect: { kind: 'status', status: 503 }, times: 1 });
  expect([await thank(sandbox), await thank(sandbox)]).toEqual([503, 200]);

  sandbox.setPlan('starter', { rate: 1 });
  expect([await thank(sandbox), await thank(sandbox)]).toEqual([200, 429]);
  await sandbox.clock.advance('next-minute');
  expect(await thank(sandbox)).toBe(200);

  sandbox.reset('messages');
  expect([sandbox.messages().length, sandbox.campaigns().length]).toEqual([0, 3]);

  const url = 'http://127.0.0.1:9/hook';
  sandbox.webhooks.add({ url, events: ['message.received'], secret: sandbox.secret() });
  sandbox.trigger('message.received', { from: '+12025550188', text: 'Hello' });
  await sandbox.settled();
  expect(sandbox.deliveries()).toMatchObject([{ type: 'message.received', url, state: 'waiting', attempts: 1 }]);
});

/** Sends a message without a socket; returns the status. */
async function thank({ keys, answer }: Sandbox): Promise<number> {
  const headers = { authorization: `Bearer ${keys.sandbox}` };
  const body = { to: '+12025550101', template: 'thanks', params: ['Ada'] };
  return (await answer({ path: '/api/public/messages/send-template', headers, body })).status;
}
