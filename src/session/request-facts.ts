import { posix } from 'node:path';
import { percentDecoded } from '../base/redact.ts';
import type { WireRequest } from '../client/wire.ts';
import { type BodyOf, endpoints } from '../contract/endpoints.ts';
import { readPhone } from '../contract/phone.ts';
import * as read from '../contract/readers.ts';

type Request = Pick<WireRequest, 'method' | 'url' | 'body'>;

/** Whether a service might send a message for a path, even if the document does not have it. */
export function mayMessage(url: string): boolean {
  return plainPath(new URL(url).pathname).toLowerCase().includes('/messages');
}

/** The message that a request sends, from any command, with its phone as E.164. */
export async function messageIn({ method, url, body }: Request): Promise<BodyOf<'sendTemplate'> | undefined> {
  const isSending = plainPath(new URL(url).pathname).toLowerCase().endsWith(endpoints.sendTemplate.path);
  if (method !== 'POST' || !isSending) return undefined;
  const message = messageOf(jsonIn(body));
  if (!message) return undefined;
  const to = await readPhone(message.to);
  if (typeof to === 'string') return { ...message, to };
  return read.isPhone(message.to) ? message : undefined;
}

const written = read.object({ to: read.string, template: read.string, params: read.list(read.string) });

function messageOf(value: unknown): BodyOf<'sendTemplate'> | undefined {
  try {
    return written(value);
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
