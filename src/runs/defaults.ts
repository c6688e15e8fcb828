import { basename } from 'node:path';
import { unsafe } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Context } from '../cli/command.ts';
import { type Caller, currentCaller, type ServiceCaller } from '../session/profiles/resolve.ts';
import { phoneRules } from './phone-lists.ts';
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
  /** A phone must be in each of these lists. */
  readonly onlyTo: readonly string[];
  /** The one of `excludeFrom` that webhooks listen keeps. */
  readonly optOut: string | undefined;
  /** The settings that the command line does not give, for people. */
  readonly origin: string | undefined;
}

/** The options of a command, and what the profile or the environment adds. Excluded phones add up. */
export function withDefaults(context: Pick<Context, 'host' | 'given'>, given: Given): Settings {
  const caller = currentCaller(context);
  const kept: Partial<ServiceCaller> = caller.kind === 'local' ? {} : caller;
  const hours = given.hours ?? (kept.hours === undefined ? undefined : hoursFlag(kept.hours));
  const country = given.country ?? kept.country;
  const encoding = given.encoding ?? kept.encoding;
  const isBatch = given.excludeFrom !== undefined;
  const excluded = isBatch ? [kept.excludeFrom, kept.optOut].filter((file) => file !== undefined) : [];
  const onlyTo = isBatch ? onlyToOf(caller, context.host.env) : [];
  const added = [
    ...(country === given.country ? [] : [`--country ${country}`]),
    ...(encoding === given.encoding ? [] : [`--encoding ${encoding}`]),
    ...(isBatch && hours !== given.hours ? [`--hours ${shellQuote(hours?.text ?? '')}`] : []),
    ...excluded.map((file) => `--exclude-from ${basename(file)}`),
    ...onlyTo.map((file) => `only to phones in ${basename(file)}`),
  ];
  const whose = kept.profile === undefined ? 'this environment' : `profile ${kept.profile}`;
  const origin = added.length === 0 ? undefined : `settings of ${whose}: ${added.join(', ')}`;
  const excludeFrom = [...excluded, ...(given.excludeFrom ?? [])];
  return { country, encoding, hours, excludeFrom, onlyTo, optOut: kept.optOut, origin };
}

/** The lists of phones that a live key may message. A key of unknown mode counts as live. */
function onlyToOf(caller: Caller, { BIZMSG_ONLY_TO: list }: Context['host']['env']): readonly string[] {
  if (caller.mode === 'sandbox') return [];
  return [caller.kind === 'local' ? undefined : caller.onlyTo, list].flatMap((file) => file ?? []);
}

/** Refuses a single message to a person who must not get one; with any list, also one to an unknown person. */
export async function refuseUnwanted(context: Context, to: string | undefined): Promise<void> {
  const settings = withDefaults(context, { excludeFrom: [] });
  if (to === undefined) {
    const lists = [...settings.excludeFrom, ...settings.onlyTo];
    if (lists.length === 0) return;
    throw unsafe(
      'recipient-unknown',
      `this request may send a message, and it is not known to whom, so ${lists.join(' and ')} cannot be applied`,
      'nothing was sent; send-template sends a message, and api one with "to", "template" and "params" to its path',
    );
  }
  const whyIn = async (excludeFrom: readonly string[], onlyTo: readonly string[]) =>
    (await phoneRules(context, { excludeFrom, onlyTo }, settings))?.(to);
  for (const list of settings.excludeFrom) {
    if (!(await whyIn([list], []))) continue;
    if (list === settings.optOut)
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
  if (!(await whyIn([], settings.onlyTo))) return;
  throw unsafe(
    'only-to',
    `${to} is not in ${settings.onlyTo.join(' and ')}, and this live key may message only these phones`,
    `nothing was sent; ${howToLift}`,
  );
}

const howToLift = 'add it there, or bizmsg profiles set NAME --only-to none (BIZMSG_ONLY_TO: unset it)';
