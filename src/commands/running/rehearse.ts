import { unitOf } from '../../bulk/rows/place.ts';
import { foresee } from '../../bulk/run/foresee.ts';
import type { Foreseen } from '../../bulk/run/foresee.ts';
import { runIds } from '../../bulk/run/find.ts';
import { identityOf, rowsOf } from './carry-out.ts';
import type { Running } from './carry-out.ts';
import { rehearsalOf } from './rehearsal.ts';
import type { Rehearsed } from './rehearsal.ts';
import { rowFiles } from './row-files.ts';

/** Says what the run would do, and ends as it would begin. */
export async function rehearsed(running: Running): Promise<Rehearsed> {
  const { context, found, client, job, input } = running;
  const foreseen = await foreseenOf(running);
  const caution = foreseen.refused || found.first === undefined ? undefined : job.caution?.(found.first);
  if (caution !== undefined) context.note('caution', caution);
  for (const note of foreseen.notes ?? []) context.note('run', note);
  const rehearsal = rehearsalOf(found, foreseen, client, { kind: job.kind, unit: unitOf(input.source) });
  return { rehearsal, exit: foreseen.refused ?? (rehearsal.bad > 0 ? 'partial' : 'done') };
}

async function foreseenOf(running: Running): Promise<Foreseen> {
  const { context, found, flags, input, client } = running;
  const { stateFolder, find, process: own } = await context.sandboxes();
  const ready = found.rows - found.bad;
  if (client.target.address === 'local' && !find()) {
    // Its key, by which its runs are known, is asked of it alone.
    if (runIds(stateFolder).length > 0)
      context.note('run', 'the sandbox is not running, so it is not known what was sent to it before');
    return { left: ready };
  }
  const identity = identityOf(running);
  const told = { path: input.shown, ready, kill: own.kill, ...rowFiles(stateFolder) };
  return foresee({ stateFolder, identity, flags, ...told, read: () => rowsOf(running) });
}
