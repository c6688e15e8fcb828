import { CliError, type ErrorCode, type ExitName } from '../base/errors.ts';
import type { EndSignal, Host } from '../base/host.ts';
import type { Later } from '../base/sleep.ts';
import type { StopSignals } from '../session/session.ts';

/** Why a run ended before all its rows were sent. */
export interface Stopped {
  readonly exit: ExitName;
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The one decision to send no more rows, whatever its cause. */
interface Stop {
  /** The first reason; undefined while the run continues. */
  readonly reason: Stopped | undefined;
  /** Requests in flight are no longer waited for. */
  readonly isAbandoned: boolean;
  request(reason: Stopped): void;
  /** Stops for an error: a foreseen one is the reason, any other is thrown by `end`. */
  crash(error: unknown): void;
  /** Stops listening to signals; throws an unforeseen error. */
  end(): void;
}

/** Milliseconds for which aborted requests may still report whether they were sent. */
const grace = 100;

export function createStop({ stop, leave }: StopSignals, later: Later, changed: () => void): Stop {
  let reason: Stopped | undefined;
  let bug: { readonly error: unknown } | undefined;
  let isAbandoned = false;
  let cancel = () => {};
  const onStop = () => request(interrupted(stop.reason));
  const onLeave = () => {
    request(interrupted(leave.reason));
    cancel = later(grace, () => {
      isAbandoned = true;
      changed();
    });
  };
  listen(stop, onStop);
  listen(leave, onLeave);
  return {
    get reason() {
      return reason;
    },
    get isAbandoned() {
      return isAbandoned;
    },
    request,
    crash(error) {
      if (error instanceof CliError) return request(stoppedBy(error));
      bug ??= { error };
      request({ exit: 'unexpected', code: 'unexpected', message: String(error) });
    },
    end() {
      cancel();
      stop.removeEventListener('abort', onStop);
      leave.removeEventListener('abort', onLeave);
      if (bug) throw bug.error;
    },
  };

  function request(why: Stopped): void {
    reason ??= why;
    changed();
  }
}

export function stoppedBy({ exit, code, message, hint }: CliError): Stopped {
  return { exit, code, message, hint };
}

const exits: Readonly<Record<string, ExitName>> = { SIGTERM: 'terminated', SIGHUP: 'hungUp' };

function interrupted(reason: unknown): Stopped {
  return { exit: exits[String(reason)] ?? 'interrupted', code: 'interrupted', message: 'the run was interrupted' };
}

function listen(signal: AbortSignal, onAbort: () => void): void {
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
}

/** Consecutive failures after which a run stops. */
const mostInARow = 20;
/** Before the service has accepted any row: the command is probably wrong. */
const mostAtFirst = 3;

interface Streak {
  accepted(): void;
  /** Returns a reason to stop after too many consecutive failures. A row that failed in an earlier command does not count. */
  failed(error: Pick<CliError, 'exit' | 'message'>, isRetry?: boolean): Stopped | undefined;
}

/** Counts consecutive rows that failed or are unsure. `wasAccepted`: by an earlier part. */
export function createStreak(wasAccepted: boolean): Streak {
  let [count, isAccepted] = [0, wasAccepted];
  return {
    accepted() {
      [count, isAccepted] = [0, true];
    },
    failed({ exit, message }, isRetry) {
      if (isRetry && isAccepted) return undefined;
      count += 1;
      const most = isAccepted ? mostInARow : mostAtFirst;
      return count < most ? undefined : { exit, code: 'too-many-errors', message: tooMany(count, isAccepted, message) };
    },
  };
}

function tooMany(count: number, isAccepted: boolean, last: string): string {
  const which = isAccepted ? `${count} rows in a row` : `the first ${count} rows`;
  return `${which} failed or are unsure; the last: ${last}`;
}

export interface RunSignals extends StopSignals {
  /**
   * From now on the first signal ends the run after its requests in flight, a second one does not wait for them, and a
   * third one ends the process.
   */
  take(): void;
  /** Signals end the process again. */
  release(): void;
}

/** The terminal and npx both send a signal for one Ctrl-C. */
const sameKeyPress = 500;

interface Signaled {
  note(code: string, message: string): void;
  readonly host: Pick<Host, 'signal' | 'handleSignals' | 'steady' | 'later' | 'kill' | 'pid'>;
}

/** Milliseconds that the end of a run may take without a word. */
const slow = 2_000;
const leavingText = 'the last rows are still being recorded; press Ctrl-C again to end without that';

export function untilSignaled({ note, host }: Signaled): RunSignals {
  const { signal, handleSignals, steady, later, kill, pid } = host;
  const [stop, leave] = [new AbortController(), new AbortController()];
  let lastAt = -Infinity;
  let giveBack: (() => void) | undefined;
  let cancelNote = () => {};
  let isUnread = false;
  const onEnd = () => {
    stop.abort(signal.reason);
    if (!giveBack) leave.abort(signal.reason);
  };
  const onUnread = () => {
    if (!isUnread) note('unread', 'stdout was closed; the run continues: see bizmsg runs list');
    isUnread = true;
  };
  if (signal.aborted) onEnd();
  else signal.addEventListener('abort', onEnd, { once: true });
  /** Rows are claimed on record before they are sent, so this loses nothing. */
  const end = (name: EndSignal) => {
    giveBack?.();
    kill(pid, name);
  };
  return {
    stop: stop.signal,
    leave: leave.signal,
    take() {
      giveBack = handleSignals((name) => {
        if (steady() <= lastAt + sameKeyPress) return;
        lastAt = steady();
        if (leave.signal.aborted) return end(name);
        if (stop.signal.aborted) {
          cancelNote = later(slow, () => note('leaving', leavingText));
          return leave.abort(name);
        }
        if (name === 'SIGINT')
          note('stopping', 'finishing the requests in flight; press Ctrl-C again to stop immediately');
        stop.abort(name);
      }, onUnread);
    },
    release() {
      cancelNote();
      signal.removeEventListener('abort', onEnd);
      giveBack?.();
    },
  };
}

/** Before anything was sent. */
export function interruptedEarly(reason: unknown): CliError {
  const { exit, code } = interrupted(reason);
  return new CliError(exit, code, 'interrupted; nothing was sent');
}
