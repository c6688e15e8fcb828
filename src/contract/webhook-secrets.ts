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
