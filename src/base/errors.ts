/** Exit codes. Scripts depend on these numbers, so they must not change. */
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

/** The stable codes of expected failures. */
export type ErrorCode =
  | 'address-without-key'
  | 'agent'
  | 'announced'
  | 'answer-too-large'
  | 'bad-secret'
  | 'bad-variable'
  | 'bug'
  | 'ca-file'
  | 'clock-wrong'
  | 'connection-lost'
  | 'count-missing'
  | 'declined'
  | 'empty-variable'
  | 'exclude-file'
  | 'excluded'
  | 'file-unusable'
  | 'forbidden'
  | 'interrupted'
  | 'key-in-arguments'
  | 'key-without-address'
  | 'ledger-older'
  | 'listed-twice'
  | 'live-key-to-sandbox'
  | 'local-key-elsewhere'
  | 'message-failed'
  | 'only-local'
  | 'opposite'
  | 'opted-out'
  | 'other-numbers'
  | 'output-unwritable'
  | 'plain-http'
  | 'port'
  | 'port-busy'
  | 'profile-exists'
  | 'proxy'
  | 'rate-limited'
  | 'recipient-unknown'
  | 'redirect-refused'
  | 'rejected'
  | 'reserved-profile'
  | 'send-in-progress'
  | 'service-fault'
  | 'timeout'
  | 'tls'
  | 'two-callers'
  | 'unauthorized'
  | 'unexpected'
  | 'unexpected-status'
  | 'unknown-host'
  | 'unknown-profile'
  | 'unreachable'
  | 'unreadable-answer'
  | 'unrunnable'
  | 'unverified-tls'
  | 'usage'
  | 'wrong-mode'
  | `too-many-${'errors' | 'files' | 'rows'}`
  | `batch-${'cancelled' | 'changed' | 'cut-off' | 'taken' | 'unknown' | 'unnamed' | 'working'}`
  | `database-${'busy' | 'damaged' | 'newer' | 'refused' | 'removed' | 'unreachable'}`
  | `foreign-${'address' | 'link' | 'origin'}`
  | `no-${'command' | 'events' | 'key' | 'memory' | 'profile' | 'sandbox' | 'secret' | 'sqlite' | 'team'}`
  | 'no-single-list'
  | 'no-such-event'
  | `not-${'confirmed' | 'found' | 'in-time' | 'own'}`
  | `sandbox-${'busy' | 'ended' | 'gone' | 'refused' | 'running' | 'start'}`
  | `sent-${'before' | 'unsure'}`
  | `state-${'unreadable' | 'unwritable'}`
  | `store-${'damaged' | 'locked' | 'unreadable' | 'unwritable'}`
  | `team-${'missing' | 'not-joined' | 'other'}`
  | `template-${'unfit' | 'unknown'}`;

/** Whether a mutating call was processed. */
export type Done = 'no' | 'unknown';

interface FailureDetails {
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly body?: unknown;
  readonly done?: Done | undefined;
  readonly cause?: unknown;
}

/** An expected failure: what happened, a hint for the user, and an exit code. */
export class CliError extends Error {
  readonly exit: ExitName;
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly body: unknown;
  readonly done: Done | undefined;

  constructor(exit: ExitName, code: ErrorCode, message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'CliError';
    [this.exit, this.code] = [exit, code];
    ({ hint: this.hint, status: this.status, body: this.body, done: this.done } = details);
  }

  /** A copy with another hint. */
  withHint(hint: string | undefined): CliError {
    const { exit, code, message, status, body, done, cause } = this;
    return new CliError(exit, code, message, { hint, status, body, done, cause });
  }
}

export function usage(message: string, hint?: string): CliError {
  return new CliError('usage', 'usage', message, { hint });
}

/** Reads the value of an option; a refusal names the option. */
export function forOption<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== 'usage') throw error;
    throw usage(`${name}: ${error.message}`, error.hint);
  }
}

export function configuration(code: ErrorCode, message: string, hint?: string, cause?: unknown): CliError {
  return new CliError('configuration', code, message, { hint, cause });
}

export function unsafe(code: ErrorCode, message: string, hint?: string): CliError {
  return new CliError('unsafe', code, message, { hint });
}

/** The code of a file system error, and what it means; undefined for other errors. */
export function fsError(error: unknown): { readonly code: string; readonly reason: string } | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined;
  return { code: error.code, reason: reasons[error.code] ?? error.code };
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'another program has it open',
  EDQUOT: 'the disk quota is exceeded',
  EEXIST: 'a file exists where a folder is needed',
  EFTYPE: 'it is not a regular file',
  ELOOP: 'its symbolic links form a loop',
  EIO: 'the disk reports an input/output error',
  EISDIR: 'it is a folder, not a file',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file exists where a folder is needed',
  ENXIO: 'it is a pipe that nothing reads',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** Why a write failed, for a warning. */
export function reasonOf(error: unknown): string {
  return error instanceof CliError ? error.message : (fsError(error)?.reason ?? String(error));
}
