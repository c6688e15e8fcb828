import * as read from './readers.ts';

// §5.2
export const keyPrefixes = { sandbox: 'sk_test_', live: 'sk_live_' } as const;

export type Mode = keyof typeof keyPrefixes;

// §5.4
export const scopes = ['read-only', 'send-only', 'full'] as const;

export type Scope = (typeof scopes)[number];

// §5.10
export const scopeEndpoints = read.notShown;

/** What follows the prefix of a key that a sandbox on this machine minted. */
export const localMark = 'local-';

/** The mode that a key's prefix states, or undefined when it has neither prefix. */
export function modeOf(key: string): Mode | undefined {
  if (key.startsWith(keyPrefixes.sandbox)) return 'sandbox';
  return key.startsWith(keyPrefixes.live) ? 'live' : undefined;
}

export function isLocalKey(key: string): boolean {
  const mode = modeOf(key);
  return mode !== undefined && key.startsWith(keyPrefixes[mode] + localMark);
}

const prefix = 'whsec_';

/** In bytes. Standard Webhooks asks for 24; a key of fewer than 16 can be guessed. */
export const shortestSecret = 16;

/** The bytes that sign: what follows `whsec_`, in base64. */
export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
}

/** Whether a secret decodes to enough bytes. `whsec_`, which an unset variable leaves, decodes to none. */
export function isStrongSecret(secret: string): boolean {
  return signingKey(secret).length >= shortestSecret;
}
