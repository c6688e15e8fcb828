import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../folder.ts';

/** Runs of versions without a ledger: what they sent cannot be compared with what will be sent. */
export function oldRuns(stateFolder: string): readonly string[] {
  const folder = join(stateFolder, 'runs');
  return namesIn(folder).filter((name) => existsSync(join(folder, name, 'journal.ndjson')));
}
