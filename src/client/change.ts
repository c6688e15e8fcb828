import type { WireRequest } from './transport.ts';
import { isChange } from './trouble.ts';

export interface ChangeOptions {
  /** A message that may have been sent before is sent again. */
  readonly allowUnsure?: boolean | undefined;
}

/** Goes round each call that changes something: it is told of the request before it leaves, and handed what sends it. */
export type Around = <T>(request: WireRequest, send: () => Promise<T>, options: ChangeOptions) => Promise<T>;

interface Line {
  readonly dryRun?: boolean | undefined;
  readonly around?: Around | undefined;
}

export function changing<T>(
  { dryRun, around }: Line,
  { request, ...options }: ChangeOptions & { readonly request: WireRequest },
  send: () => Promise<T>,
): Promise<T> {
  return around && !dryRun && isChange(request.method) ? around(request, send, options) : send();
}
