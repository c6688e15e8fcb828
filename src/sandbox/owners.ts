import { lives, type Probe } from '../base/liveness.ts';
import type { Owner } from './delivery-records.ts';

interface Owned {
  readonly url: string;
  readonly owner?: Owner | undefined;
}

/** Whether the process that a webhook was for is dead, and no other one will take its place. */
export function isForsaken({ url, owner }: Owned, kill: Probe, next?: Owned): boolean {
  if (!owner || lives(owner.pid, owner.start, kill)) return false;
  if (!owner.returns) return true;
  // Whoever else listens there by now is not to get what was meant for it.
  return next !== undefined && !next.owner?.returns && portOf(next.url) === portOf(url);
}

function portOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).port : undefined;
}
