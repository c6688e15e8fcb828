import { bytesOf, type Headers, type Received } from '../event-records.ts';

/** They concern one connection; the last two are those of the new one. */
const ofConnection = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
];

/** An event as it is sent on: the same bytes and headers, but for those of the connection, and who sends it on. */
export function letterOf(
  received: Received,
  { host }: URL,
  by: Headers = [],
): { readonly headers: string[]; readonly body: Buffer } {
  const body = bytesOf(received);
  const named = received.headers.filter(([name]) => name.toLowerCase() === 'connection').map(([, value]) => value);
  const left = new Set([...ofConnection, ...named.flatMap((value) => value.toLowerCase().split(/\s*,\s*/))]);
  const headers = received.headers.filter(([name]) => !left.has(name.toLowerCase()));
  return { headers: ['host', host, ...headers.flat(), ...by.flat(), 'content-length', String(body.length)], body };
}
