import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { createSandbox, type SandboxEnv } from 'bizmsg/sandbox';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';

it('receives the events of two order updates', async () => {
  await using sandbox = createSandbox({ clock: 'manual' });
  const { env } = await sandbox.listen();
  const events: string[] = [];
  await using receiver = createReceiver(env, (type, to) => events.push(`${type} ${to}`));
  sandbox.webhooks.add({ url: await urlOf(receiver) });

  await sendOrderUpdate(env, '+12025550102', 'Ada', 'A-1042');
  await sendOrderUpdate(env, '+12025550103', 'Alan', 'A-1043');
  await sandbox.clock.advance('4s');
  expect(events).toEqual(['message.failed +12025550102']);
  await sandbox.clock.advance('1s');
  expect(events).toEqual(['message.failed +12025550102', 'message.delivered +12025550103']);
});

// Your own code, the subject of the test: it sends a message…
async function sendOrderUpdate(env: SandboxEnv, to: string, ...params: string[]): Promise<void> {
  const { ok, status } = await fetch(`${env.BIZMSG_BASE_URL}/api/public/messages/send-template`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.BIZMSG_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to, template: 'order_update', params }),
  });
  if (!ok) throw new Error(`the service responded with ${status}`);
}

// …and accepts only signed webhooks.
function createReceiver(env: SandboxEnv, onEvent: (type: string, to: string) => void): Server {
  const webhook = new Webhook(env.BIZMSG_WEBHOOK_SECRET);
  const receive = async (request: IncomingMessage) => {
    const body = await text(request);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    webhook.verify(body, Object.fromEntries(headers));
    const { type, data } = JSON.parse(body);
    onEvent(type, data.to);
  };
  return createServer((request, response) => {
    const respond = (status: number) => response.writeHead(status).end();
    receive(request).then(
      () => respond(204),
      () => respond(401),
    );
  });
}

async function urlOf(server: Server): Promise<string> {
  await once(server.listen(0), 'listening');
  const address = server.address();
  return `http://localhost:${typeof address === 'object' ? address?.port : 0}`;
}
