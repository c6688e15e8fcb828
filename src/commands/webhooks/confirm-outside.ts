import { onlyLocal } from '../../session/profiles/environment.ts';
import type { Context } from '../../cli/command.ts';
import { unsafe } from '../../base/errors.ts';

/** Whoever has events sent to another machine has said so. */
export async function requireMeant(
  context: Context,
  urls: Iterable<URL>,
  doing: (count: number) => string,
): Promise<void> {
  const { isHere } = await import('../../webhooks/forward/routes.ts');
  const origins = [...urls].filter((url) => !isHere(url)).map(({ origin }) => origin);
  const isOnlyLocal = onlyLocal(context.session.host.env);
  for (const origin of new Set(origins)) {
    if (isOnlyLocal) throw refused(origin);
    await context.confirm(`${doing(origins.filter((one) => one === origin).length)} to ${origin}`);
  }
}

function refused(origin: string) {
  const hint = 'unset BIZMSG_ONLY, or name an address of this machine';
  return unsafe('only-local', `BIZMSG_ONLY=local refuses ${origin}, which is not this machine`, hint);
}
