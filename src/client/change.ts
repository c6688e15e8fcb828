import type { Departure } from './exchange.ts';
import type { WireRequest } from './transport.ts';
import { isChange } from './trouble.ts';

export interface ChangeOptions {
  /** A message that was sent just before is sent again. */
  readonly again?: boolean | undefined;
  /** A message that may have been sent before is sent again. */
  readonly retryUnsure?: boolean | undefined;
}

type Send<T> = (departure?: Departure) => Promise<T>;

/** Goes round each call that changes something: it is handed what sends the request, which says when it leaves. */
export type Around = <T>(request: WireRequest, send: Send<T>, options: ChangeOptions) => Promise<T>;

interface Line {
  readonly dryRun?: boolean | undefined;
  readonly around?: Around | undefined;
}

export function changing<T>(
  { dryRun, around }: Line,
  { request, ...options }: ChangeOptions & { readonly request: WireRequest },
  send: Send<T>,
): Promise<T> {
  return around && !dryRun && isChange(request.method) ? around(request, send, options) : send();
}
