import { createHash, timingSafeEqual } from 'node:crypto';
import { tokenHeader } from './paths.ts';
import type { Exchange } from '../exchange.ts';

/** Whether a request to the control plane has the sandbox's token, and is not from a page in a browser. */
export function isTrusted(exchange: Pick<Exchange, 'headers'>, port: number, token: string): boolean {
  return isAddressed(exchange, port) && isSame(exchange.headers[tokenHeader] ?? '', token);
}

/** Whether a request names the sandbox by an address of this machine. A page of another site in a browser does not. */
export function isAddressed({ headers: { host, origin } }: Pick<Exchange, 'headers'>, port: number): boolean {
  const own = ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) => [
    `${name}:${port}`,
    ...(port === 80 ? [name] : []),
  ]);
  if (host === undefined || !own.includes(host.toLowerCase())) return false;
  return origin === undefined || own.some((name) => origin.toLowerCase() === `http://${name}`);
}

/** In the same time whether little or much of it is right. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
