import type { OutputOf } from '../sandbox/control/operations.ts';
import type { Request } from './state.ts';

/** The method and path; most paths begin the same. */
export function requestText(method: string, path: string): string {
  return `${method} ${path.replace('/api/public/', '')}`;
}

type Exchange = OutputOf<'exchanges'>[number];

/** The bytes of a request of the log. Equal log entries are told apart by their order. */
export function exchangeOf(
  request: Request,
  log: readonly Request[],
  exchanges: readonly Exchange[],
): Exchange | undefined {
  const text = JSON.stringify(request);
  const isSame = (other: Request) => JSON.stringify(other) === text;
  const later = log.slice(log.indexOf(request) + 1).filter(isSame).length;
  return exchanges.filter((exchange) => isSame(exchange.request)).at(-1 - later);
}

/** As `bizmsg sandbox requests --bytes` prints it, without the marks. */
export function partText(first: string, { headers, body, bytes }: Exchange['sent'] | Exchange['answered']): string {
  const cut = bytes === undefined ? [] : [`(the first 16 KB of ${bytes} bytes)`];
  return [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', body, ...cut].join('\n');
}
