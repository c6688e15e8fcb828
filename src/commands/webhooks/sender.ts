import type { Context } from '../../cli/command.ts';
import { describeCaller } from '../../session/current-caller.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';

/** Where events come from: a sandbox, the service of an account, or unknown. */
export type Sender =
  | {
      readonly kind: 'sandbox';
      readonly locator: Locator;
      /** True if it is used because no profile exists. */
      readonly isDefault: boolean;
    }
  | { readonly kind: 'account'; readonly name: string }
  | { readonly kind: 'unknown' };

/** The sender that belongs to the current profile. Starts the local sandbox if that is called. */
export async function senderOf(context: Context): Promise<Sender> {
  const [{ winner, problem }, sandboxes] = await Promise.all([describeCaller(context.session), context.sandboxes()]);
  if (problem && problem.code !== 'no-profile') throw problem;
  if (!winner) return { kind: 'unknown' };
  const isDefault = winner.source === 'newcomer';
  if (winner.profile === 'local') return { kind: 'sandbox', locator: await sandboxes.ensure(), isDefault };
  const called = winner.address === null ? undefined : sandboxes.at(winner.address);
  if (called) return { kind: 'sandbox', locator: called, isDefault };
  return { kind: 'account', name: winner.profile ?? 'of BIZMSG_API_KEY' };
}
