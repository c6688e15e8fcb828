import type { Probe } from '../../process-life.ts';
import type { FoundRuns } from './find.ts';
import { busy, holderOfRun } from './hold.ts';

/** Throws where another process is at one of these at this instant: what its journal tells is not all there is to tell. */
export function refuseBusy({ same, changed, others = [] }: FoundRuns, kill: Probe, own: ReadonlySet<string>): void {
  for (const run of [same, changed, ...others]) {
    if (!run || own.has(run.folder)) continue;
    const by = holderOfRun(run.folder, kill);
    if (by !== undefined) throw busy(run.folder, by);
  }
}
