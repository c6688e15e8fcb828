import { usage } from '../errors.ts';
import type { Base } from './address.ts';
import { joinAddress } from './address.ts';
import type { WireAnswer, WireHeaders, WireRequest } from './transport.ts';

export interface RawRequest {
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** A header given here takes the place of ours, but for those that only the client may set. */
export function rawRequest(base: Base, ours: Readonly<Record<string, string>>, raw: RawRequest): WireRequest {
  const { method, path, headers = {}, body } = raw;
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw usage(`"${method}" is not a method that can be sent`);
  }
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
  const taken = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  // §4
  const usual = body === undefined ? ours : { ...ours, 'Content-Type': 'application/json' };
  const left = Object.entries(usual).filter(([name]) => !taken.has(name.toLowerCase()));
  return { method, url: joinAddress(base, path), headers: { ...Object.fromEntries(left), ...headers }, body };
}

export function rawAnswer({ status, headers, body }: WireAnswer): RawAnswer {
  return { status, headers: record(headers), body };
}

const reserved =
  /^(?:authorization|proxy-authorization|host|content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te)$/i;

function checkHeader(name: string, value: string): void {
  if (reserved.test(name)) throw usage(`the header "${name}" is set by bizmsg itself`);
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw usage(`"${name}" is not the name of a header`);
  if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) throw usage(`the value of the header "${name}" cannot be sent`);
}

/** Any header may come: in a plain object `constructor` is there already, and `__proto__` is not set like others. */
function record(headers: WireHeaders): Record<string, string | readonly string[]> {
  const all = new Map<string, string | readonly string[]>();
  for (const [name, value] of headers) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(all);
}
