import { basename } from 'node:path';
import { unsafe } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Context } from '../cli/command.ts';
import { currentCaller, type ServiceCaller } from '../session/caller.ts';
import { listedPhones } from './phone-lists.ts';
import { hoursFlag, type Hours } from './hours.ts';

/** Options of a command whose defaults a profile keeps. */
interface Given {
  readonly country?: string | undefined;
  readonly encoding?: string | undefined;
  readonly hours?: Hours | undefined;
  readonly excludeFrom?: readonly string[];
}

interface Settings extends Given {
  readonly excludeFrom: readonly string[];
  /** The one of `excludeFrom` that webhooks listen keeps. */
  readonly optOut: string | undefined;
  /** The settings that the command line does not give, for people. */
  readonly origin: string | undefined;
}

/** The options of a command, and what the profile adds. Excluded phones add up. */
export function withDefaults(context: Pick<Context, 'host' | 'given'>, given: Given): Settings {
  const caller = currentCaller(context);
  const kept: Partial<ServiceCaller> = caller.kind === 'local' ? {} : caller;
  const hours = given.hours ?? (kept.hours === undefined ? undefined : hoursFlag(kept.hours));
  const country = given.country ?? kept.country;
  const encoding = given.encoding ?? kept.encoding;
  const isBatch = given.excludeFrom !== undefined;
  const excluded = isBatch ? [kept.excludeFrom, kept.optOut].filter((file) => file !== undefined) : [];
  const added = [
    ...(country === given.country ? [] : [`--country ${country}`]),
    ...(encoding === given.encoding ? [] : [`--encoding ${encoding}`]),
    ...(isBatch && hours !== given.hours ? [`--hours ${shellQuote(hours?.text ?? '')}`] : []),
    ...excluded.map((file) => `--exclude-from ${basename(file)}`),
  ];
  const origin = added.length === 0 ? undefined : `settings of profile ${kept.profile}: ${added.join(', ')}`;
  const excludeFrom = [...excluded, ...(given.excludeFrom ?? [])];
  return { country, encoding, hours, excludeFrom, optOut: kept.optOut, origin };
}

/** Refuses a single message to a person who must not get one; with any list, also one to an unknown person. */
export async function refuseUnwanted(context: Context, to: string | undefined): Promise<void> {
  const settings = withDefaults(context, { excludeFrom: [] });
  const { excludeFrom, optOut } = settings;
  if (to === undefined) {
    if (excludeFrom.length === 0) return;
    throw unsafe(
      'recipient-unknown',
      `this request may send a message, and it is not known to whom, so ${excludeFrom.join(' and ')} cannot be applied`,
      'nothing was sent; send-template sends a message, and api one with "to", "template" and "params" to its path',
    );
  }
  for (const list of excludeFrom) {
    if (!(await listedPhones(context, [list], settings))(to)) continue;
    if (list === optOut)
      throw unsafe(
        'opted-out',
        `${to} has opted out and is in ${list}`,
        'nothing was sent; the reply START, received by webhooks listen, takes a phone from the list',
      );
    throw unsafe(
      'excluded',
      `${to} is in ${list}, whose phones the profile never messages`,
      'nothing was sent; remove it there, or bizmsg profiles set NAME --exclude-from none',
    );
  }
}
