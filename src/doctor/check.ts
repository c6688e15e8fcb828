import { CliError, exitCodes } from '../base/errors.ts';

type Name = 'node' | 'state' | 'profile' | 'service' | 'clock';

/** The result of one check. */
export interface Check {
  readonly name: Name;
  /** `skip`: it could not be checked. */
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  readonly message: string;
  /** A command to run or a step to take. */
  readonly remedy: string | null;
  /** The exit code of a failure. */
  readonly exit?: number;
}

export function pass(name: Name, message: string): Check {
  return { name, status: 'pass', message, remedy: null };
}

export function warn(name: Name, message: string, remedy: string): Check {
  return { name, status: 'warn', message, remedy };
}

/** A failure with the message, hint and exit code of an expected error; throws any other one. */
export function failed(name: Name, error: unknown): Check {
  if (!(error instanceof CliError) || error.exit === 'interrupted') throw error;
  const { message, hint = null, exit } = error;
  return { name, status: 'fail', message, remedy: hint, exit: exitCodes[exit] };
}
