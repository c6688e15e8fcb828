import { createHmac, timingSafeEqual } from 'node:crypto';
import { isStrongSecret, signingKey } from './keys.ts';

/** What Standard Webhooks sends beside the body. */
export const signatureHeaders = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

export interface Signed {
  readonly id: string;
  /** Seconds of the time of day. */
  readonly timestamp: number;
  /** The bytes that are sent: JSON made anew has another signature. */
  readonly body: string | Uint8Array;
}

const prefix = 'whsec_';

/** The signature of Standard Webhooks, version 1. */
export function sign({ id, timestamp, body }: Signed, secret: string): string {
  const key = signingKey(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Whether a text is `whsec_` and at least 16 bytes in base64. */
export function isSecret(text: string): boolean {
  const encoded = text.startsWith(prefix) ? text.slice(prefix.length) : '';
  return /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && isStrongSecret(text);
}

/** What was signed as it seems, and the signatures that came with it. */
export interface Attempt {
  readonly signed: Signed;
  readonly signatures: readonly string[];
}

/** The place of the first secret that made one of the signatures. */
export function firstFitting(secrets: readonly string[], attempt: Attempt): number | undefined {
  const place = secrets.findIndex((secret) => fits(secret, attempt));
  return place === -1 ? undefined : place;
}

export function fits(secret: string, { signed, signatures }: Attempt): boolean {
  const expected = sign(signed, secret);
  return signatures.some((signature) => isSame(signature, expected));
}

/** In the same time whatever differs. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
