import { readdirSync } from 'node:fs';
import { configuration } from '../../base/errors.ts';
import { fileFault } from '../../base/files.ts';

/** An empty list would say that nothing was sent. */
export function refuseUnreadable(folder: string): void {
  try {
    readdirSync(folder);
  } catch (error) {
    const fault = fileFault(error);
    if (!fault) throw error;
    if (fault.code === 'ENOENT') return;
    const hint = 'it is below the state folder, which BIZMSG_STATE_DIR names';
    throw configuration('state-unreadable', `cannot read ${folder}: ${fault.reason}`, hint, error);
  }
}
