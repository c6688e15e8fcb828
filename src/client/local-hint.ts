import { CliError } from '../errors.ts';
import { unsureHint } from './trouble.ts';

/** The same failure of a sandbox on this machine, which can be asked more, and told more, than the service. */
export function withLocalHint(failure: CliError): CliError {
  const { exit, code, message, status, body, done, cause } = failure;
  return new CliError(exit, code, message, { hint: hintOf(failure), status, body, done, cause });
}

function hintOf({ exit, code, hint }: CliError): string | undefined {
  if (code === 'unauthorized')
    return `${hint}\nin this sandbox bizmsg sandbox keys list shows them, and bizmsg sandbox keys go-live makes live ones valid`;
  return exit === 'unsure' ? `${unsureHint}; bizmsg sandbox requests shows what the sandbox did` : hint;
}
