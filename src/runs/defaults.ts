import type { Context } from '../cli/command.ts';
import { currentCaller } from '../session/profiles/resolve.ts';
import { hoursFlag } from './hours.ts';

/** The settings of the profile for files of rows; the options of the command come first. */
export function storedSettings(context: Pick<Context, 'host' | 'given'>) {
  const caller = currentCaller(context);
  if (caller.kind === 'local') return {};
  const { hours, excludeFrom, country, encoding } = caller;
  return { hours: hours === undefined ? undefined : hoursFlag(hours), excludeFrom, country, encoding };
}
