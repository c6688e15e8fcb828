import type { OnDamage } from '../../base/journal-lines.ts';
import type { Probe } from '../../base/liveness.ts';
import { bytesOf, type Ending, type Intent, logFiles, recordIn, type State, stateOf } from './log.ts';

/** A call, and what came of it. */
export interface Past {
  readonly intent: Intent;
  readonly ending: Ending | undefined;
  readonly state: State;
}

/** What left this machine, the newest first. No file is read before it is asked for. */
export function* newestFirst(folder: string, kill: Probe, onDamage: OnDamage): Generator<Past> {
  for (const { path } of logFiles(folder)) {
    const { intents, endings } = contentOf(path, onDamage);
    for (const intent of intents.toReversed().sort((a, b) => b.at - a.at)) {
      const ending = endings.get(intent.id);
      const state = stateOf(intent, ending, kill);
      if (state !== 'withdrawn') yield { intent, ending, state };
    }
  }
}

/** A call and what came of it are in one file. */
function contentOf(path: string, onDamage: OnDamage) {
  const intents: Intent[] = [];
  const endings = new Map<string, Ending>();
  const lines = bytesOf({ path }).toString().split('\n');
  // What has no end is being written.
  for (const line of lines.slice(0, -1)) {
    if (line === '') continue;
    const record = recordIn(line);
    if (!record) onDamage({ path, text: `${path} is damaged: a line is not as it was written` });
    else if (record.type === 'intent') intents.push(record);
    else endings.set(record.id, record);
  }
  return { intents, endings };
}
