import { createHash, timingSafeEqual } from 'node:crypto';
import { tokenHeader } from './paths.ts';
import type { Exchange } from '../exchange.ts';

/** Whether a request to the control plane comes from this machine's own tools, and not from a page in a browser. */
export function isTrusted({ headers }: Pick<Exchange, 'headers'>, port: number, token: string): boolean {
  const { host, origin } = headers;
  const own = ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) => [
    `${name}:${port}`,
    ...(port === 80 ? [name] : []),
  ]);
  if (host === undefined || !own.includes(host.toLowerCase())) return false;
  if (origin !== undefined && !own.some((name) => origin.toLowerCase() === `http://${name}`)) return false;
  return isSame(headers[tokenHeader] ?? '', token);
}

/** In the same time whether little or much of it is right. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
