import type { Host } from '../base/host.ts';
import type { Mode } from '../contract/keys.ts';
import type { Locator } from '../sandbox/remote/locator.ts';
import type { Minute } from '../sandbox/remote/minute.ts';
import type { LocalCaller, ServiceCaller, Target } from './profiles/resolve.ts';
import type { Sandboxes } from './sandboxes.ts';

/** The parts of one invocation that calls to the service need. */
export interface Session {
  readonly host: Host;
  readonly given: CallOptions;
  readonly reporter: Reporter;
  readonly interaction: Interaction;
  /** The name of the command, such as `contacts create`. */
  readonly command: string;
  readonly sandboxes: () => Promise<Sandboxes>;
}

/** The global options that calls depend on. */
export interface CallOptions {
  readonly profile?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly baseUrl?: string | undefined;
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  readonly caFile?: string | undefined;
  readonly noPace: boolean;
  readonly dryRun: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly noInput: boolean;
}

interface Reporter {
  note(code: string, message: string): void;
  /** A line of the trace. */
  trace(line: string): void;
  /** Redacts this text from all later output. */
  hide(secret: string): void;
}

export interface Interaction {
  /** Asks on a terminal, with --yes too; throws if the user declines. */
  confirm(question: string): Promise<void>;
  /** Shows a spinner on a terminal until the work is done. */
  spin<T>(text: string, work: Promise<T>): Promise<T>;
}

export type AnyCaller = LocalCaller | ServiceCaller | Target;

/** A target that passed all safety checks and was announced. */
export interface CheckedTarget {
  readonly target: Target;
  readonly simulated: boolean;
  /** The rate limit of the sandbox that is called. */
  readonly minute: Minute | undefined;
  /** Whether it is called as `local`. */
  readonly isLocal: boolean;
  /** The sandbox on this machine that is called, if it runs. */
  readonly running: Locator | undefined;
  readonly caller: AnyCaller;
}
