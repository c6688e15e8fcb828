import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Scope } from '../../src/contract/keys.ts';
import type { Reply } from '../../src/sandbox/exchange.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { authorityFile, identity, listen, serveProxy } from '../client/servers.ts';

/** Keys of a real account. */
export const accountKeys = { sandbox: 'sk_test_4f9Qm2ZpL8xVt3Hd', live: 'sk_live_7Rw1Kc5NbY6uJe0S' } as const;

interface ServiceOptions {
  /** The scope of the sandbox key. */
  readonly scope?: Scope;
  /** Changes the sandbox's responses. */
  readonly answer?: (reply: Reply) => Reply;
}

/** Simulates https://api.example.com: returns an environment with a proxy that leads to a sandbox, and its certificate. */
export async function openApi({ scope = 'full', answer = (reply) => reply }: ServiceOptions = {}): Promise<
  Readonly<Record<string, string>>
> {
  const { keys, ...sandbox } = createSandbox();
  keys.goLive();
  const issued = new Map([
    [`Bearer ${accountKeys.sandbox}`, `Bearer ${keys.create(scope).text}`],
    [`Bearer ${accountKeys.live}`, `Bearer ${keys.live}`],
  ]);
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: target = '', headers } = request;
    // The sandbox accepts only its own keys.
    const authorization = issued.get(headers.authorization ?? '') ?? headers.authorization;
    const translated = { 'content-type': headers['content-type'], authorization };
    const reply = answer(await sandbox.answer({ method, target, headers: translated, body: await text(request) }));
    response.writeHead(reply.status, reply.headers).end(reply.body);
  };
  const server = createServer(identity, (request, response) => void respond(request, response));
  const proxy = await serveProxy(await listen(server));
  return { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: authorityFile };
}
