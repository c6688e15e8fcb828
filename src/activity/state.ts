import type { Probe } from '../process-life.ts';
import { lives } from '../process-life.ts';
import type { Ending, Intent, Outcome } from './record.ts';

export type State = Outcome | 'under way';

/** What became of a call. One whose process died before it could say so may have been done. */
export function stateOf({ at, pid, start }: Intent, ending: Ending | undefined, kill: Probe): State {
  if (ending) return ending.outcome;
  return lives(pid, start, kill, () => Date.now() - at) ? 'under way' : 'unsure';
}
