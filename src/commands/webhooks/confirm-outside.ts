import { unsafe } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import { isThisMachine } from '../../delivery/this-machine.ts';
import { onlyLocal } from '../../session/caller.ts';

/** Asks before events are sent to other machines; refuses with BIZMSG_LOCAL_ONLY=1. */
export async function confirmOutside({ host, confirm }: Context, urls: Iterable<URL>, action: string): Promise<void> {
  const outside = [...urls].filter(({ hostname }) => !isThisMachine(hostname));
  for (const origin of new Set(outside.map(({ origin }) => origin))) {
    const hint = 'unset BIZMSG_LOCAL_ONLY, or use an address of this machine';
    if (onlyLocal(host.env))
      throw unsafe('only-local', `BIZMSG_LOCAL_ONLY=1 refuses ${origin}, which is not this machine`, hint);
    await confirm(`${action} to ${origin}?`);
  }
}
