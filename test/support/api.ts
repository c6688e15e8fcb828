import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { listen, serveProxy } from '../client/servers.ts';
import { selfSigned } from './certificate.ts';

/** Keys of an account that no sandbox knows. */
export const accountKeys = { sandbox: 'sk_test_4f9Qm2ZpL8xVt3Hd', live: 'sk_live_7Rw1Kc5NbY6uJe0S' } as const;

/**
 * A service that stands in for the one at https://api.example.com, and the environment in which that is it: a proxy
 * leads there, and its certificate is trusted.
 */
export async function openApi(home: string): Promise<Readonly<Record<string, string>>> {
  const identity = selfSigned({ host: 'api.example.com', until: new Date(Date.now() + 90 * 86_400_000) });
  const sandbox = createSandbox();
  sandbox.keys.goLive();
  const server = createServer(identity, async (request, response) => {
    const { method = '', url: target = '', headers } = request;
    const authorization = accountKeyOf(headers.authorization, sandbox.keys);
    const asked = { 'content-type': headers['content-type'], authorization };
    const answer = await sandbox.answer({ method, target, headers: asked, body: await text(request) });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const proxy = await serveProxy(await listen(server));
  const authority = join(home, 'authority.pem');
  writeFileSync(authority, identity.cert);
  return { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: authority };
}

/** The sandbox takes only the keys that it made itself. */
function accountKeyOf(header = '', keys: { readonly sandbox: string; readonly live: string }): string {
  const mode = header === `Bearer ${accountKeys.live}` ? 'live' : 'sandbox';
  return header === `Bearer ${accountKeys[mode]}` ? `Bearer ${keys[mode]}` : header;
}
