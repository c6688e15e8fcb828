import { join } from 'node:path';
import type { CliError } from '../../errors.ts';
import { configuration } from '../../errors.ts';
import type { Later } from '../../journal.ts';
import type { Holder, Owner } from '../../lock.ts';
import { nameOf } from '../../lock.ts';
import type { Identity } from './identity.ts';
import { runsFolder } from './identity.ts';
import { claimed } from './hold.ts';

interface Claiming extends Owner {
  readonly stateFolder: string;
  readonly identity: Pick<Identity, 'kind'>;
  readonly later: Later;
}

const [pause, tries] = [50, 1_200];

/**
 * Of batches that begin at once, one at a time looks for what was sent before, until others find its own journal; an
 * import refuses nothing for it. What is returned lets the next one look.
 */
export async function claimLook({ stateFolder, identity, later, ...owner }: Claiming): Promise<() => void> {
  if (identity.kind === 'import') return () => {};
  const folder = runsFolder(stateFolder);
  for (let left = tries; ; left--) {
    const claim = claimed(folder, { ...owner, later });
    if (claim.held) return () => claim.release();
    if (left === 0) throw claimedFor(join(folder, 'lock'), claim.by);
    await new Promise<void>((resolve) => {
      later(pause, resolve);
    });
  }
}

function claimedFor(path: string, by: Holder | undefined): CliError {
  const message = `${nameOf(by)} has looked for what was sent before for a minute: ${path}`;
  return configuration('run-busy', message, 'wait until it sends, or end it');
}
