import { type Check, checksOf } from './check.ts';
import { CliError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { openCompletions, textOf } from '../cli/complete/install.ts';

const { pass, warn, skip } = checksOf('machine');

/** Whether the shell that the user has completes the words of this bizmsg. */
export function completionCheck(host: Host): Check {
  const remedy = 'bizmsg completion install';
  try {
    const completions = openCompletions(host);
    const shell = completions.usual();
    const places = completions.places(shell);
    const text = textOf(places.file);
    if (text === undefined || completions.changesStartUp(places))
      return skip('completion', `not installed for ${shell}`, remedy);
    const isOurs = text === completions.shim(shell).toString('latin1');
    if (isOurs) return pass('completion', `installed for ${shell}`);
    return warn('completion', `of another version for ${shell}`, remedy);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // Without a shell to look at there is nothing to mend.
    if (error.exit === 'usage') return skip('completion', error.message);
    return warn('completion', error.message, error.hint ?? remedy);
  }
}
