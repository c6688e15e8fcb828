import { randomBytes } from 'node:crypto';

/** Identifies an account on this machine whatever its keys and its address are. */
export function newAccountId(): string {
  return randomBytes(6).toString('hex');
}
