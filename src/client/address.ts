import { unsafe } from '../base/errors.ts';

/** A parsed base URL. The prefix has no trailing slash. */
export interface Base {
  readonly origin: string;
  readonly prefix: string;
}

/** Splits a base URL. The profile or variable that it comes from was checked before. */
export function readBase(baseUrl: string): Base {
  requireEncryption(baseUrl);
  const { origin, pathname } = new URL(baseUrl);
  return { origin, prefix: pathname.replace(/\/+$/, '') };
}

/** Throws if a key would leave this machine unencrypted. */
export function requireEncryption(baseUrl: string): void {
  const { protocol, hostname, origin } = new URL(baseUrl);
  if (protocol !== 'http:' || isLoopback(hostname)) return;
  throw unsafe(
    'plain-http',
    `refusing to send a key over plain http to ${origin}`,
    'use an address that begins with https://',
  );
}

/** True if the host of a URL is literally this machine, so that a key may go there over plain HTTP. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Joins base and path as text, then checks the result, so that a crafted path cannot lead elsewhere. */
export function joinAddress(base: Base, path: string): string {
  const text = base.origin + base.prefix + (isBare(path) ? '/' : '') + path;
  const url = isPlain(path) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isSameOrigin(base, url) || !isUnder(base.prefix, url.pathname)) {
    throw unsafe(
      'foreign-address',
      `${JSON.stringify(path)} leads away from ${base.origin}${base.prefix}, and the key is only sent there`,
      'use a path such as /api/public/contacts',
    );
  }
  url.hash = '';
  return url.href;
}

/** Resolves a link from an answer within origin and prefix; undefined if it leads elsewhere. */
export function followed(base: Base, from: string, target: string): string | undefined {
  if (!URL.canParse(target, from)) return undefined;
  const url = new URL(target, from);
  if (!isSameOrigin(base, url)) return undefined;
  // A service behind a prefix may not know its prefix.
  if (!isUnder(base.prefix, url.pathname)) url.pathname = base.prefix + url.pathname;
  url.hash = '';
  return url.href;
}

export function withQuery(address: string, query: readonly (readonly [string, string])[]): string {
  const url = new URL(address);
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url.href;
}

/** True for a path without its leading slash, such as `api/public/contacts`. */
function isBare(path: string): boolean {
  return /^[\w-]+(?:[/?]|$)/.test(path);
}

function isPlain(path: string): boolean {
  const [pathname = ''] = path.split(/[?#]/, 1);
  return !path.startsWith('//') && !pathname.includes('\\') && !/[\u0000-\u001f\u007f]/.test(path);
}

/** Compares protocol and host: the `origin` of a `blob:` URL is the origin of the URL inside it. */
export function isSameOrigin({ origin }: Pick<Base, 'origin'>, url: URL): boolean {
  return `${url.protocol}//${url.host}` === origin && url.username === '' && url.password === '';
}

function isUnder(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
