import { onlyLocal } from '../../session/caller.ts';
import type { Context } from '../../cli/command.ts';
import { unsafe } from '../../base/errors.ts';

/** Asks before events are sent to other machines; refuses with BIZMSG_LOCAL_ONLY=1. */
export async function confirmOutside(
  context: Context,
  urls: Iterable<URL>,
  action: (count: number) => string,
): Promise<void> {
  const { isThisMachine } = await import('../../delivery/target.ts');
  const origins = [...urls].filter(({ hostname }) => !isThisMachine(hostname)).map(({ origin }) => origin);
  const isOnlyLocal = onlyLocal(context.host.env);
  for (const origin of new Set(origins)) {
    if (isOnlyLocal) throw refused(origin);
    await context.confirm(`${action(origins.filter((one) => one === origin).length)} to ${origin}?`);
  }
}

function refused(origin: string) {
  const hint = 'unset BIZMSG_LOCAL_ONLY, or use an address of this machine';
  return unsafe('only-local', `BIZMSG_LOCAL_ONLY=1 refuses ${origin}, which is not this machine`, hint);
}
