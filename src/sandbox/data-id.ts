import { randomBytes } from 'node:crypto';

/**
 * Identifies what a sandbox holds, so that clients know what was sent to it before. It does not follow from the seed: two
 * sandboxes with the same seed hold different data.
 */
export function newDataId(): string {
  return randomBytes(6).toString('hex');
}
