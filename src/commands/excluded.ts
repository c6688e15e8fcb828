import { unsafe } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { currentCaller } from '../session/caller.ts';

/** Refuses a single message to a phone that the profile never messages; with such a list, also one to an unknown phone. */
export async function refuseExcluded(context: Context, to: string | undefined): Promise<void> {
  const caller = currentCaller(context);
  if (caller.kind === 'local' || caller.excludeFrom === undefined) return;
  const { excludeFrom: file, country, encoding, profile } = caller;
  if (to === undefined)
    throw unsafe(
      'recipient-unknown',
      `this request may send a message, and it is not known to whom, so ${file} cannot be applied`,
      'nothing was sent; send-template sends a message, and api one with "to", "template" and "params" to its path',
    );
  const { readExcluded } = await import('../batches/exclude.ts');
  const phones = await readExcluded(context, [file], { country, encoding, column: undefined });
  if (!phones.includes(to)) return;
  throw unsafe(
    'excluded',
    `${to} is in ${file}, whose phones the profile never messages`,
    `nothing was sent; remove it there, or bizmsg profiles set ${profile} --exclude-from none`,
  );
}
