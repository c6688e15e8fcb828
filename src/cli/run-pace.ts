import type { KnownPace } from '../client/pace-choice.ts';
import type { Pace } from '../client/pace.ts';
import type { Caller } from '../profiles/caller.ts';
import type { Approached, Line } from './calling.ts';
import { sharedRate } from './plan-rate.ts';
import type { Shared } from './shared-pace.ts';

interface Paced extends Pick<Shared, 'onWait'> {
  readonly caller: Caller;
  readonly approached: Pick<Approached, 'target' | 'minute'>;
  readonly known: KnownPace | undefined;
}

const minute = 60_000;

/** The pace of a run: its own, and behind it the plan that others of this machine use too. */
export async function runPace(line: Line, { caller, approached, known, onWait }: Paced): Promise<Pace> {
  const { host, given } = line;
  const { createPace } = await import('../client/pace.ts');
  const own = { ...known, now: host.steady, later: host.later };
  const rate = sharedRate(given, caller, approached.minute);
  if (!known || rate === undefined) return createPace(own);
  const { sharedGate } = await import('./shared-pace.ts');
  const limit = Math.max(1, Math.floor((known.perWindow * minute) / known.window));
  return createPace({ ...own, shared: sharedGate(line, { ...approached, rate, kind: 'run', limit, onWait }) });
}
