// §5.2
export const keyPrefixes = { sandbox: 'sk_test_', live: 'sk_live_' } as const;

export type Mode = keyof typeof keyPrefixes;

// §5.4
export const scopes = ['read-only', 'send-only', 'full'] as const;

export type Scope = (typeof scopes)[number];

/** Follows the prefix in keys issued by a local sandbox. */
export const localMark = 'local-';

/** Reads the mode from a key's prefix; undefined if it has neither. */
export function modeOf(key: string): Mode | undefined {
  if (key.startsWith(keyPrefixes.sandbox)) return 'sandbox';
  return key.startsWith(keyPrefixes.live) ? 'live' : undefined;
}

export function isLocalKey(key: string): boolean {
  const mode = modeOf(key);
  return mode !== undefined && key.startsWith(keyPrefixes[mode] + localMark);
}

export const secretPrefix = 'whsec_';

/** Bytes. Standard Webhooks asks for 24; fewer than 16 can be guessed. */
export const shortestSecret = 16;

/** Decodes the bytes of a signing secret: base64 after `whsec_`. */
export function signingKey(secret: string): Buffer {
  return Buffer.from(encodedKey(secret), 'base64');
}

export function encodedKey(secret: string): string {
  return secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
}

/** Whether a secret decodes to enough bytes. A bare `whsec_`, as an unset variable leaves it, does not. */
export function isStrongSecret(secret: string): boolean {
  return signingKey(secret).length >= shortestSecret;
}
