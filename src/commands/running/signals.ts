import type { Context } from '../../cli/command.ts';
import type { Signals } from '../../bulk/run/halt.ts';
import { CliError } from '../../errors.ts';
import type { ExitName } from '../../errors.ts';
import type { Host } from '../../host.ts';

export interface Told extends Signals {
  /** From now on the first signal has the run end once what is on its way is settled, a second one at once. */
  take(): void;
  /** Signals end the process again. */
  release(): void;
}

/** A terminal and npx both pass one Ctrl-C on. */
const sameKeyPress = 500;

export function untilTold(
  { takeSignals, now }: Pick<Host, 'takeSignals' | 'now'>,
  { note, signal }: Pick<Context, 'note' | 'signal'>,
): Told {
  const [stop, leave] = [new AbortController(), new AbortController()];
  let stoppedAt: number | undefined;
  let giveBack: (() => void) | undefined;
  let isUnread = false;
  const onEnd = () => {
    stop.abort(signal.reason);
    if (!giveBack) leave.abort(signal.reason);
  };
  // What is half done is not left so because nobody reads on.
  const onUnread = () => {
    if (!isUnread) note('unread', 'nobody reads stdout any more; the run goes on, and "bizmsg runs list" tells of it');
    isUnread = true;
  };
  if (signal.aborted) onEnd();
  else signal.addEventListener('abort', onEnd, { once: true });
  return {
    stop: stop.signal,
    leave: leave.signal,
    take() {
      giveBack = takeSignals((told) => {
        if (stoppedAt !== undefined) return now() > stoppedAt + sameKeyPress ? leave.abort(told) : undefined;
        stoppedAt = now();
        if (told === 'SIGINT') note('stopping', 'waiting for what is on its way; Ctrl-C again leaves at once');
        stop.abort(told);
      }, onUnread);
    },
    release() {
      signal.removeEventListener('abort', onEnd);
      giveBack?.();
    },
  };
}

const exits: Readonly<Record<string, ExitName>> = { SIGTERM: 'terminated', SIGHUP: 'hungUp' };

/** Before anything was sent. */
export function interrupted(reason: unknown): CliError {
  return new CliError(exits[String(reason)] ?? 'interrupted', 'interrupted', 'interrupted; nothing was sent');
}
