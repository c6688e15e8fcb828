import { configuration } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import { isLoopback } from '../base/loopback.ts';

export const proxyHint = 'check HTTPS_PROXY and ALL_PROXY; NO_PROXY lists hosts without a proxy';

/** Returns the proxy of the environment for an address. Only https is proxied: plain http never leaves this machine. */
export function proxyFor(baseUrl: string, env: Env): string | undefined {
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' || isLoopback(url.hostname)) return undefined;
  const named = env['https_proxy'] || env['HTTPS_PROXY'] || env['all_proxy'] || env['ALL_PROXY'];
  if (!named || isExempt(url, env['no_proxy'] ?? env['NO_PROXY'] ?? '')) return undefined;
  return proxyUrl(named);
}

function isExempt(url: URL, noProxy: string): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => entry !== '' && (entry === '*' || matches(url, entry)));
}

function matches(url: URL, entry: string): boolean {
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const host = name.replace(/^\*?\./, '');
  if (port !== undefined && port !== (url.port || '443')) return false;
  return url.hostname === host || url.hostname.endsWith(`.${host}`);
}

function proxyUrl(named: string): string {
  const text = named.includes('://') ? named : `http://${named}`;
  if (!URL.canParse(text)) throw unusable('it is not an address');
  const { protocol, username, password, href } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') throw unusable(`"${protocol}//" is not supported`);
  if ([username, password].some((part) => decoded(part) === undefined))
    throw unusable('its user or password has a % that is not part of a code; write % as %25');
  return href;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The address is not quoted, since it may contain a password. */
function unusable(why: string): Error {
  return configuration('proxy', `cannot use the proxy from the environment: ${why}`, proxyHint);
}
