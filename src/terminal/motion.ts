import type { Host } from '../host.ts';

/** Whether a line may change in place: not in a log, and not for a screen reader (`ACCESSIBLE`), which reads it again. */
export function mayMove({ stderr, env }: Pick<Host, 'stderr' | 'env'>): boolean {
  return stderr.isTTY && !env['CI'] && !env['ACCESSIBLE'] && env['TERM'] !== 'dumb';
}
