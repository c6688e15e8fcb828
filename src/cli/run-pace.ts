import type { KnownPace, Pace } from '../client/pace/pace.ts';
import type { Caller } from '../session/profiles/resolve.ts';
import type { Approached, Line } from './approached.ts';
import { sharedRate } from './plan-rate.ts';
import type { Shared } from './shared-pace.ts';

interface Paced extends Pick<Shared, 'onWait'> {
  readonly caller: Caller;
  readonly approached: Pick<Approached, 'target' | 'minute'>;
  readonly known: KnownPace | undefined;
}

const minute = 60_000;

/**
 * The pace of a run: its own, and behind it what all processes of this machine share. Without a plan they share the
 * window of `--rate`, so that a run which was killed and started again does not begin with a full window.
 */
export async function runPace(line: Line, { caller, approached, known, onWait }: Paced): Promise<Pace> {
  const { host, given } = line;
  const { createPace } = await import('../client/pace/pace.ts');
  const own = { ...known, now: host.steady, later: host.later };
  const rate = sharedRate(given, caller, approached.minute);
  if (!known) return createPace(own);
  const { sharedGate } = await import('./shared-pace.ts');
  const shared = { ...approached, kind: 'run', onWait } as const;
  if (rate === undefined) {
    const { window, perWindow: limit } = known;
    return createPace({ ...own, shared: sharedGate(line, { ...shared, rate: limit, limit, window }) });
  }
  const limit = Math.max(1, Math.floor((known.perWindow * minute) / known.window));
  return createPace({ ...own, shared: sharedGate(line, { ...shared, rate, limit, window: minute }) });
}
