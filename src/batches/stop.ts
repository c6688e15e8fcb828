import { CliError, type ExitName } from '../base/errors.ts';
import type { EndSignal, Host } from '../base/host.ts';
import { counted } from '../cli/output/figures.ts';
import type { StopSignals } from '../session/session.ts';

/** The decision to send no more rows, whatever its cause. */
export class Stop {
  #onStop = () => {};
  readonly #controller = new AbortController();
  #reason: CliError | undefined;
  #bug: { readonly error: unknown } | undefined;

  constructor(signal: AbortSignal, onStop: () => void) {
    const interrupt = () => this.request(interrupted(signal.reason, 'the batch was interrupted'));
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
    // Set last: what it calls is not complete yet.
    this.#onStop = onStop;
  }

  /** The first reason; undefined while the work goes on. */
  get reason(): CliError | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  request(reason: CliError): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller.abort();
    this.#onStop();
  }

  /** Stops for an error; `throwBug` throws it if it is unforeseen. */
  crash(error: unknown): void {
    if (error instanceof CliError) return this.request(stoppedBy(error));
    this.#bug ??= { error };
    this.request(new CliError('unexpected', 'unexpected', String(error)));
  }

  throwBug(): void {
    if (this.#bug) throw this.#bug.error;
  }
}

/** The error of one request, as the reason to stop: the others may have another outcome. */
export function stoppedBy({ exit, code, message, hint }: CliError): CliError {
  return new CliError(exit, code, message, { hint });
}

const exits: Readonly<Record<string, ExitName>> = { SIGTERM: 'terminated', SIGHUP: 'hungUp' };

function interrupted(reason: unknown, message: string): CliError {
  return new CliError(exits[String(reason)] ?? 'interrupted', 'interrupted', message);
}

/** Before anything was sent. */
export function interruptedEarly(reason: unknown): CliError {
  return interrupted(reason, 'interrupted; nothing was sent');
}

/** Faults of the service in a row that stop the work, and before it has accepted any row. */
const [mostInARow, mostAtFirst] = [20, 3];

/** Counts faults of the service in a row. */
export class Streak {
  #count = 0;
  #isAccepted: boolean;

  constructor(isAccepted: boolean) {
    this.#isAccepted = isAccepted;
  }

  accepted(): void {
    this.#count = 0;
    this.#isAccepted = true;
  }

  /** Returns a reason to stop if there were too many. */
  failed({ exit, message }: Pick<CliError, 'exit' | 'message'>): CliError | undefined {
    this.#count += 1;
    if (this.#count < (this.#isAccepted ? mostInARow : mostAtFirst)) return undefined;
    const which = this.#isAccepted ? `${this.#count} requests in a row` : `the first ${this.#count} requests`;
    return new CliError(exit, 'too-many-errors', `${which} failed; the last: ${message}`);
  }
}

export interface BatchSignals extends StopSignals {
  /**
   * From now on the first signal ends the work after the load or its requests in flight, a second one does not wait for
   * answers, and a third one ends the process.
   */
  take(): void;
  /** Signals end the process again. */
  release(): void;
}

/** The terminal and npx both send a signal for one Ctrl-C. */
const sameKeyPress = 500;

interface Signaled {
  note(code: string, message: string): void;
  readonly host: Pick<Host, 'signal' | 'handleSignals' | 'steady' | 'kill' | 'pid'>;
}

export function untilSignaled({ note, host }: Signaled): BatchSignals {
  const [stop, leave] = [new AbortController(), new AbortController()];
  let lastAt = -Infinity;
  let giveBack: (() => void) | undefined;
  let isUnread = false;
  const onEnd = () => {
    stop.abort(host.signal.reason);
    if (!giveBack) leave.abort(host.signal.reason);
  };
  const onUnread = () => {
    if (!isUnread) note('unread', 'stdout was closed; the batch goes on: see bizmsg batches show');
    isUnread = true;
  };
  const onSignal = (name: EndSignal) => {
    if (host.steady() <= lastAt + sameKeyPress) return;
    lastAt = host.steady();
    if (!stop.signal.aborted) return stop.abort(name);
    if (!leave.signal.aborted) return leave.abort(name);
    // Rows are claimed on record before they are sent, so this loses nothing.
    giveBack?.();
    host.kill(host.pid, name);
  };
  if (host.signal.aborted) onEnd();
  else host.signal.addEventListener('abort', onEnd, { once: true });
  return {
    stop: stop.signal,
    leave: leave.signal,
    take() {
      giveBack = host.handleSignals(onSignal, onUnread);
    },
    release() {
      host.signal.removeEventListener('abort', onEnd);
      giveBack?.();
    },
  };
}

/** What Ctrl-C does while requests are in flight. */
export function stoppingText(inFlight: number): string {
  if (inFlight === 0) return 'stopping';
  return `stopping; waiting for ${counted(inFlight, 'answer')} … (again: now, and they become unsure)`;
}
