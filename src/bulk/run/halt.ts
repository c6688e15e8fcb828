import type { ExitName } from '../../errors.ts';
import { CliError } from '../../errors.ts';
import type { Later } from '../../journal.ts';
import type { Stopped } from './records.ts';

export interface Signals {
  /** What is on its way is waited for, then the part ends. Its reason may be a signal's name. */
  readonly stop: AbortSignal;
  /** Nothing is waited for. */
  readonly leave: AbortSignal;
}

/** Why no more rows are to be sent. */
export interface Halt {
  readonly stopped: Stopped | undefined;
  /** What is on its way is not waited for any more. */
  readonly isLeft: boolean;
  /** The first reason is kept. */
  stop(stopped: Stopped): void;
  /** A foreseen failure stops the run; any other is thrown when the run has ended. */
  crash(error: unknown): void;
  /** Listens to no signal any more, and throws what was not foreseen. */
  end(): void;
}

/** What was called off has this long to say whether it was sent. */
const grace = 100;

export function createHalt({ stop: stopSignal, leave }: Signals, later: Later, changed: () => void): Halt {
  let stopped: Stopped | undefined;
  let bug: { readonly error: unknown } | undefined;
  let isLeft = false;
  let callOff = () => {};
  const onStop = () => stop(interrupted(stopSignal.reason));
  const onLeave = () => {
    stop(interrupted(leave.reason));
    callOff = later(grace, () => {
      isLeft = true;
      changed();
    });
  };
  listen(stopSignal, onStop);
  listen(leave, onLeave);
  return {
    get stopped() {
      return stopped;
    },
    get isLeft() {
      return isLeft;
    },
    stop,
    crash(error) {
      if (error instanceof CliError) return stop(stoppedBy(error));
      bug ??= { error };
      stop({ exit: 'unexpected', code: 'unexpected', message: String(error) });
    },
    end() {
      callOff();
      stopSignal.removeEventListener('abort', onStop);
      leave.removeEventListener('abort', onLeave);
      if (bug) throw bug.error;
    },
  };

  function stop(why: Stopped): void {
    stopped ??= why;
    changed();
  }
}

export function stoppedBy({ exit, code, message, hint }: CliError): Stopped {
  return { exit, code, message, hint };
}

const exits: Readonly<Record<string, ExitName>> = { SIGTERM: 'terminated', SIGHUP: 'hungUp' };

function interrupted(reason: unknown): Stopped {
  const hint = '--resume goes on where it stopped';
  return {
    exit: exits[String(reason)] ?? 'interrupted',
    code: 'interrupted',
    message: 'the run was interrupted',
    hint,
  };
}

function listen(signal: AbortSignal, told: () => void): void {
  if (signal.aborted) told();
  else signal.addEventListener('abort', told, { once: true });
}
