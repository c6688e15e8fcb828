import type { Env } from '../base/host.ts';
import { environmentAccount } from './caller.ts';
import type { CheckedTarget } from './session.ts';

/** Whose messages these are. Another key, and another profile of the account, must know who got one. */
export function accountOf(env: Env, { caller, target, running }: CheckedTarget): string {
  if (running) return `sandbox:${running.dataId}`;
  return realAccount(env, { ...caller, baseUrl: target.baseUrl });
}

/** The account of a profile: its name, or its address. */
export function realAccount(
  env: Env,
  { account, baseUrl }: { readonly account?: string | undefined; readonly baseUrl: string },
): string {
  return account ?? environmentAccount(env) ?? canonicalAddress(baseUrl);
}

/** One spelling of each address: two of them must not look like two accounts. */
export function canonicalAddress(baseUrl: string): string {
  const url = new URL(baseUrl);
  const name = url.hostname.replace(/\.+$/, '');
  url.hostname = loopback.has(name) ? 'localhost' : name;
  return url.origin;
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
