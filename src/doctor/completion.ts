import { type Check, checksOf } from './check.ts';
import { CliError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { completionState, usualShell } from '../cli/complete/install.ts';

const { pass, warn, skip } = checksOf('machine');

/** Checks that the user's shell completes the commands of this version. */
export function completionCheck(host: Host): Check {
  const remedy = 'bizmsg completion install';
  try {
    const shell = usualShell(host.env);
    const state = completionState(shell, host);
    if (state === 'absent') return skip('completion', `not installed for ${shell}`, remedy);
    if (state === 'current') return pass('completion', `installed for ${shell}`);
    return warn('completion', `of another version for ${shell}`, remedy);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // Without a known shell there is nothing to fix.
    if (error.exit === 'usage') return skip('completion', error.message);
    return warn('completion', error.message, error.hint ?? remedy);
  }
}
