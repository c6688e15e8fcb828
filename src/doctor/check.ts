import { CliError, exitCodes, type ExitName } from '../base/errors.ts';

const groups = ['machine', 'profile', 'network', 'service'] as const;
export type GroupName = (typeof groups)[number];

/** The result of one check. */
export interface Check {
  readonly group: GroupName;
  readonly name: string;
  /** `skip`: it could not be checked, or it is absent and optional. */
  readonly status: 'pass' | 'warn' | 'fail' | 'skip';
  readonly message: string;
  /** A command to run or a step to take. */
  readonly remedy: string | null;
  /** The exit code of a failure. */
  readonly exit?: number;
}

export interface Diagnosis {
  /** In the order of the groups. */
  readonly checks: readonly Check[];
  /** Requests sent to the service. */
  readonly calls: number;
  /** The exit code of the first failure, or 0. */
  readonly exit: number;
}

export function diagnosis(found: readonly Check[], calls: number): Diagnosis {
  const checks = groups.flatMap((group) => found.filter((check) => check.group === group));
  const first = checks.find(({ status }) => status === 'fail');
  return { checks, calls, exit: first?.exit ?? exitCodes.done };
}

/** Handles an error of what is checked: returns a foreseen one, and throws others. */
export function foreseen(error: unknown): CliError {
  if (error instanceof CliError && error.exit !== 'interrupted') return error;
  throw error;
}

/** Functions that create the checks of a group. */
export function checksOf(group: GroupName) {
  const made = (status: Check['status'], name: string, message: string, remedy: string | null): Check => ({
    group,
    name,
    status,
    message,
    remedy,
  });
  const fail = (name: string, message: string, remedy: string | null, exit: ExitName): Check => ({
    ...made('fail', name, message, remedy),
    exit: exitCodes[exit],
  });
  return {
    pass: (name: string, message: string) => made('pass', name, message, null),
    skip: (name: string, message: string, remedy?: string) => made('skip', name, message, remedy ?? null),
    warn: (name: string, message: string, remedy: string) => made('warn', name, message, remedy),
    fail,
    /** A failure with the message and exit code of an error. */
    failed: (name: string, { message, hint, exit }: CliError, remedy?: string) =>
      fail(name, message, remedy ?? hint ?? null, exit),
  } as const;
}
