import { timingSafeEqual } from 'node:crypto';
import { sign, type Signed } from '../contract/signature.ts';

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
