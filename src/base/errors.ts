/** What a shell sees. The numbers are a promise: scripts branch on them. */
export const exitCodes = {
  done: 0,
  unexpected: 1,
  usage: 2,
  configuration: 3,
  keyRefused: 4,
  notFound: 5,
  rejected: 6,
  rateLimited: 7,
  serviceFault: 8,
  network: 9,
  partial: 10,
  unsafe: 11,
  opposite: 12,
  unsure: 13,
  unrunnable: 126,
  noCommand: 127,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitName = keyof typeof exitCodes;

/** Whether a call that changes something was carried out. */
export type Done = 'no' | 'unknown';

interface FailureDetails {
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly body?: unknown;
  readonly done?: Done | undefined;
  readonly cause?: unknown;
}

/** A foreseen failure: what happened, what to do next, and the exit code that says so. */
export class CliError extends Error {
  readonly exit: ExitName;
  readonly code: string;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly body: unknown;
  readonly done: Done | undefined;

  constructor(exit: ExitName, code: string, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'CliError';
    this.exit = exit;
    this.code = code;
    this.hint = details.hint;
    this.status = details.status;
    this.body = details.body;
    this.done = details.done;
  }
}

export function usage(message: string, hint?: string): CliError {
  return new CliError('usage', 'usage', message, { hint });
}

export function configuration(code: string, message: string, hint?: string, cause?: unknown): CliError {
  return new CliError('configuration', code, message, { hint, cause });
}

export function unsafe(code: string, message: string, hint?: string): CliError {
  return new CliError('unsafe', code, message, { hint });
}
