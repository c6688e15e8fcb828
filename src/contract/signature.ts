import { createHmac, timingSafeEqual } from 'node:crypto';
import { encodedKey, isStrongSecret, secretPrefix, signingKey } from './keys.ts';

/** Headers of Standard Webhooks. */
export const signatureHeaders = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

export interface Signed {
  readonly id: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  /** The exact bytes sent. Reserialized JSON has a different signature. */
  readonly body: string | Uint8Array;
}

/** The signature of Standard Webhooks, version 1. */
export function sign({ id, timestamp, body }: Signed, secret: string): string {
  const key = signingKey(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Whether a text is `whsec_` and at least 16 bytes in base64. */
export function isSecret(text: string): boolean {
  return text.startsWith(secretPrefix) && /^[A-Za-z0-9+/]+={0,2}$/.test(encodedKey(text)) && isStrongSecret(text);
}

/** The presumed signed content and the signatures received with it. */
export interface Attempt {
  readonly signed: Signed;
  readonly signatures: readonly string[];
}

/** Whether one of the secrets made one of the signatures. */
export function isSignedBy(secrets: readonly string[], attempt: Attempt): boolean {
  return secrets.some((secret) => matches(secret, attempt));
}

/** Compares in constant time. */
function matches(secret: string, { signed, signatures }: Attempt): boolean {
  const expected = Buffer.from(sign(signed, secret));
  const bytes = signatures.map((signature) => Buffer.from(signature));
  return bytes.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}
