import type { KnownPace } from '../client/pace-choice.ts';
import type { Pace } from '../client/pace.ts';
import type { Caller, Target } from '../profiles/caller.ts';
import type { Line } from './calling.ts';
import { sharedRate } from './plan-rate.ts';
import type { Shared } from './shared-pace.ts';

interface Paced extends Pick<Shared, 'onWait'> {
  readonly caller: Caller;
  readonly target: Target;
  readonly known: KnownPace | undefined;
}

const minute = 60_000;

/** The pace of a run: its own, and behind it the plan that others of this machine use too. */
export async function runPace(line: Line, { caller, target, known, onWait }: Paced): Promise<Pace> {
  const { host, given } = line;
  const { createPace } = await import('../client/pace.ts');
  const own = { ...known, now: host.steady, later: host.later };
  const rate = sharedRate(given, caller);
  if (!known || rate === undefined) return createPace(own);
  const { sharedGate } = await import('./shared-pace.ts');
  const limit = Math.max(1, Math.floor((known.perWindow * minute) / known.window));
  return createPace({ ...own, shared: sharedGate(line, { target, rate, kind: 'run', limit, onWait }) });
}
