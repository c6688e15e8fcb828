import { configuration, unsafe } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';

/** A base URL taken apart. The prefix has no slash at its end. */
export interface Base {
  readonly origin: string;
  readonly prefix: string;
}

export function readBase(baseUrl: string): Base {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw configuration(
      'base-url',
      `"${baseUrl}" is not a base URL`,
      'it looks like https://host or https://host/prefix',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw configuration('base-url', 'a base URL has no user, password, query or fragment');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw unsafe('plain-http', `no key is sent over plain http to ${url.host}`, 'use an https address');
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** Joins as text and then compares, so that whatever was smuggled into the path shows. */
export function joinAddress(base: Base, path: string): string {
  const text = base.origin + base.prefix + (isBare(path) ? '/' : '') + path;
  const url = isPlain(path) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isWithin(base, url)) {
    throw unsafe(
      'foreign-address',
      `${JSON.stringify(path)} leads away from ${base.origin}${base.prefix}, and the key goes nowhere else`,
      'give a path such as /api/public/contacts',
    );
  }
  url.hash = '';
  return url.href;
}

/** An address that an answer named: kept within the origin and the prefix, or undefined. */
export function followed(base: Base, from: string, target: string): string | undefined {
  if (!URL.canParse(target, from)) return undefined;
  const url = new URL(target, from);
  if (!isSameOrigin(base, url)) return undefined;
  // A service behind a prefix does not know of it.
  if (!isUnder(base.prefix, url.pathname)) url.pathname = base.prefix + url.pathname;
  url.hash = '';
  return url.href;
}

export function withQuery(address: string, query: readonly (readonly [string, string])[]): string {
  const url = new URL(address);
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url.href;
}

/** `api/public/contacts`, said without its slash. */
function isBare(path: string): boolean {
  return /^[\w-]+(?:[/?]|$)/.test(path);
}

function isPlain(path: string): boolean {
  const [way = ''] = path.split(/[?#]/, 1);
  return !path.startsWith('//') && !way.includes('\\') && !/[\u0000-\u001f\u007f]/.test(path);
}

function isWithin(base: Base, url: URL): boolean {
  return isSameOrigin(base, url) && isUnder(base.prefix, url.pathname);
}

/** Compares protocol and host, since the `origin` of a `blob:` address is that of the address inside it. */
export function isSameOrigin({ origin }: Pick<Base, 'origin'>, url: URL): boolean {
  return `${url.protocol}//${url.host}` === origin && url.username === '' && url.password === '';
}

function isUnder(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
