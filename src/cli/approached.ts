import type { Host } from '../base/host.ts';
import type { LocalCaller, ServiceCaller, Target } from '../session/profiles/resolve.ts';
import type { Locator } from '../sandbox/remote/locator.ts';
import type { Minute } from '../sandbox/remote/minute.ts';
import type { Globals } from './globals.ts';
import type { Reporter } from './report.ts';
import type { Sandboxes } from './sandboxes.ts';

export interface Line {
  readonly host: Host;
  readonly given: Globals;
  readonly reporter: Reporter;
  /** Which one this is, such as `contacts create`. */
  readonly command: string;
  readonly sandboxes: () => Promise<Sandboxes>;
}

export type AnyCaller = LocalCaller | ServiceCaller | Target;

/** A key and an address that every guard has let pass, and that the user was told of. */
export interface Approached {
  readonly target: Target;
  readonly simulated: boolean;
  /** What limits the sandbox that is called. */
  readonly minute: Minute | undefined;
  /** It is called as `local`, wherever that is. */
  readonly isLocal: boolean;
  /** The sandbox on this machine that is called, if it runs. */
  readonly running: Locator | undefined;
  readonly caller: AnyCaller;
}
