import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { configuration } from '../base/errors.ts';
import { namesIn } from '../base/files.ts';
import type { Host } from '../base/host.ts';

/** Runs of versions without a ledger: what they sent cannot be compared with what will be sent. */
export function oldRuns(stateFolder: string): readonly string[] {
  const folder = join(stateFolder, 'runs');
  return namesIn(folder).filter((name) => existsSync(join(folder, name, 'journal.ndjson')));
}

export function refuseOldRuns(stateFolder: string): void {
  const { length } = oldRuns(stateFolder);
  if (length === 0) return;
  const path = join(stateFolder, 'runs');
  const which = length === 1 ? '1 run' : `${length} runs`;
  throw configuration(
    'runs-of-old-version',
    `${path} has ${which} of an earlier version of bizmsg; this version cannot tell what they sent`,
    `finish them with that version; then move the folder away: mv ${path} ${path}.old`,
  );
}

const day = 86_400_000;

/** Versions without a ledger kept live messages in the activity log, for a day, with digests of another secret. */
export async function refuseOldSends(stateFolder: string, { kill, now }: Pick<Host, 'kill' | 'now'>): Promise<void> {
  const secret = join(stateFolder, 'activity', 'secret');
  if (!existsSync(secret)) return;
  const [{ activityFolder }, { newestFirst }] = await Promise.all([
    import('../session/activity/log.ts'),
    import('../session/activity/history.ts'),
  ]);
  for (const { intent, state } of newestFirst(activityFolder(stateFolder), kill, () => {})) {
    if (intent.at < now() - day) break;
    if (intent.digest === undefined || (state !== 'unsure' && state !== 'under way')) continue;
    throw configuration(
      'sends-of-old-version',
      'an earlier version of bizmsg left live messages of which nobody knows whether they were sent',
      `check them: bizmsg activity --live --failed; then remove ${secret}`,
    );
  }
  rmSync(secret, { force: true });
}
