import type { Context } from '../../cli/command.ts';
import type { Signals } from '../../bulk/run/halt.ts';
import { CliError } from '../../errors.ts';
import type { EndSignal, Host } from '../../host.ts';

interface Told extends Signals {
  /** Signals end the process again. */
  release(): void;
}

/** The first asks the run to end once what is on its way is settled, a second one to end at once. */
export function untilTold(takeSignals: Host['takeSignals'], { note }: Pick<Context, 'note'>): Told {
  const [stop, leave] = [new AbortController(), new AbortController()];
  const release = takeSignals((signal: EndSignal) => {
    if (stop.signal.aborted) return leave.abort(signal);
    if (signal === 'SIGINT') note('stopping', 'waiting for what is on its way; Ctrl-C again leaves at once');
    stop.abort(signal);
  });
  return { stop: stop.signal, leave: leave.signal, release };
}

const exits = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'hungUp' } as const;

/** Before anything was sent. */
export function interrupted(signal: EndSignal): CliError {
  return new CliError(exits[signal], 'interrupted', 'interrupted; nothing was sent');
}
