import { types } from 'node:util';
import type { Exchange } from '../exchange.ts';
import type { SandboxRequest } from './types.ts';

/** As it would come through a socket. */
export function exchangeOf({ path, body, method, headers: given = {} }: SandboxRequest): Exchange {
  if (typeof path !== 'string') throw new TypeError('answer: path is missing, such as /api/public/contacts');
  const pairs = Symbol.iterator in given ? [...given] : Object.entries(given);
  const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  const sent = { method: method ?? (body === undefined ? 'GET' : 'POST'), target: path };
  if (body === undefined) return { ...sent, headers, body: '' };
  if (typeof body === 'string' || types.isUint8Array(body)) return { ...sent, headers, body };
  return { ...sent, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}
