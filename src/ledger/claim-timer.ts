import type { Host } from '../base/host.ts';

/**
 * Milliseconds between a claim and its request. With the longest request, a claim ends before other machines count this
 * process as dead: its heartbeat may not reach them.
 */
const longest = 25_000;

/** Starts with a claim; the returned function is true once the claim is too old. Either clock may stand still or jump. */
export function claimTimer({ now, steady }: Pick<Host, 'now' | 'steady'>): () => boolean {
  const [time, moment] = [now(), steady()];
  return () => Math.max(now() - time, steady() - moment) > longest;
}
