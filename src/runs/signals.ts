import type { Context } from '../cli/command.ts';
import { CliError } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { interrupted, type Signals } from './stop.ts';

export interface RunSignals extends Signals {
  /** From now on the first signal ends the run after its requests in flight; a second one does not wait for them. */
  take(): void;
  /** Signals end the process again. */
  release(): void;
}

/** A terminal and npx both pass on one Ctrl-C. */
const sameKeyPress = 500;

export function untilSignaled(
  { takeSignals, now }: Pick<Host, 'takeSignals' | 'now'>,
  { note, signal }: Pick<Context, 'note' | 'signal'>,
): RunSignals {
  const [stop, leave] = [new AbortController(), new AbortController()];
  let stoppedAt: number | undefined;
  let giveBack: (() => void) | undefined;
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
  return {
    stop: stop.signal,
    leave: leave.signal,
    take() {
      giveBack = takeSignals((name) => {
        if (stoppedAt !== undefined) return now() > stoppedAt + sameKeyPress ? leave.abort(name) : undefined;
        stoppedAt = now();
        if (name === 'SIGINT')
          note('stopping', 'finishing the requests in flight; press Ctrl-C again to stop immediately');
        stop.abort(name);
      }, onUnread);
    },
    release() {
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
