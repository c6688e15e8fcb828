import { posix } from 'node:path';
import { percentDecoded } from '../base/redact.ts';
import type { WireRequest } from '../client/wire.ts';
import { type BodyOf, endpoints } from '../contract/endpoints.ts';

type Request = Pick<WireRequest, 'method' | 'url' | 'body'>;

/** Whether a service might send a message for a path, even if the document does not have it. */
export function mayMessage(url: string): boolean {
  return plainPath(new URL(url).pathname).toLowerCase().includes('/messages');
}

/** The message that a request sends, from any command. */
export function messageIn({ method, url, body }: Request): BodyOf<'sendTemplate'> | undefined {
  const isSending = plainPath(new URL(url).pathname).toLowerCase().endsWith(endpoints.sendTemplate.path);
  if (method !== 'POST' || !isSending) return undefined;
  try {
    return endpoints.sendTemplate.body(jsonIn(body));
  } catch {
    return undefined;
  }
}

/** Normalizes the spelling of a path, since a service may accept several. */
function plainPath(pathname: string): string {
  return posix.normalize(`/${percentDecoded(pathname).replaceAll('\\', '/')}`).replace(/(?<=.)\/$/, '');
}

function jsonIn(body: WireRequest['body']): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
