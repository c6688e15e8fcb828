import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { createSandbox, type SandboxEnv } from 'bizmsg/sandbox';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';

it('hears what became of an order update', async () => {
  await using sandbox = createSandbox({ clock: 'manual' });
  const { env } = await sandbox.listen();
  const heard: string[] = [];
  await using receiver = createReceiver(env, (type, to) => heard.push(`${type} ${to}`));
  sandbox.webhooks.add({ url: await urlOf(receiver) });

  await sendOrderUpdate(env, '+12025550102', 'Ada', 'A-1042');
  await sendOrderUpdate(env, '+12025550103', 'Alan', 'A-1043');
  await sandbox.clock.advance('4s');
  expect(heard).toEqual(['message.failed +12025550102']);
  await sandbox.clock.advance('1s');
  expect(heard).toEqual(['message.failed +12025550102', 'message.delivered +12025550103']);
});

// Your own code, which is what is tested: it sends a message…
async function sendOrderUpdate(env: SandboxEnv, to: string, ...params: string[]): Promise<void> {
  const { ok, status } = await fetch(`${env.BIZMSG_BASE_URL}/api/public/messages/send-template`, {
    method: 'POST',
    headers: { authorization: `Bearer ${env.BIZMSG_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to, template: 'order_update', params }),
  });
  if (!ok) throw new Error(`the service answered ${status}`);
}

// …and its webhook believes only what is signed.
function createReceiver(env: SandboxEnv, hear: (type: string, to: string) => void): Server {
  const webhook = new Webhook(env.BIZMSG_WEBHOOK_SECRET);
  const receive = async (request: IncomingMessage) => {
    const body = await text(request);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    webhook.verify(body, Object.fromEntries(headers));
    const { type, data } = JSON.parse(body);
    hear(type, data.to);
  };
  return createServer((request, response) => {
    const answer = (status: number) => response.writeHead(status).end();
    receive(request).then(
      () => answer(204),
      () => answer(401),
    );
  });
}

async function urlOf(server: Server): Promise<string> {
  await once(server.listen(0), 'listening');
  const address = server.address();
  return `http://localhost:${typeof address === 'object' ? address?.port : 0}`;
}
