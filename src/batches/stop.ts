import type { ErrorCode, ExitName } from '../base/errors.ts';

/** Why the work on a batch ended before all its rows were sent. */
export interface Stopped {
  readonly exit: ExitName;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}
