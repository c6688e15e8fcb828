import { statSync } from 'node:fs';
import type { OnDamage } from '../journal-lines.ts';
import type { Probe } from '../process-life.ts';
import { bytesOf, logFiles } from './files.ts';
import { recordIn } from './record.ts';
import type { Ending, Intent } from './record.ts';
import { stateOf } from './state.ts';
import { unsureFor } from './twice.ts';
import type { Earlier } from './twice.ts';

export interface Search {
  readonly folder: string;
  /** The one that is about to leave: of two that begin at the same instant, the second in the file knows of the first. */
  readonly intent: Intent;
  readonly kill: Probe;
  readonly onDamage: OnDamage;
}

/** What was sent of the same message, the oldest first. */
export function earlierOf({ folder, intent, kill, onDamage }: Search): readonly Earlier[] {
  const { digest } = intent;
  if (digest === undefined) return [];
  return logFiles(folder)
    .toReversed()
    .filter(({ path }) => isFrom(path, intent.at - unsureFor))
    .flatMap(({ path }) => inFile(path, { digest, mine: intent.id, kill, onDamage }));
}

interface Sought extends Pick<Search, 'kill' | 'onDamage'> {
  readonly digest: string;
  readonly mine: string;
}

function inFile(path: string, { digest, mine, kill, onDamage }: Sought): readonly Earlier[] {
  const intents: Intent[] = [];
  const endings = new Map<string, Ending>();
  let isAfter = false;
  for (const line of linesWith(bytesOf({ path }), digest)) {
    const record = recordIn(line);
    if (!record) onDamage({ path, text: `${path} is damaged: a line is not as it was written` });
    else if (record.type === 'ending') endings.set(record.id, record);
    else if (record.id === mine) isAfter = true;
    else if (!isAfter) intents.push(record);
  }
  return intents.map((intent) => {
    const { id, at, pid } = intent;
    const ending = endings.get(id);
    return { id, at, pid, state: stateOf(intent, ending, kill), message_id: ending?.message_id };
  });
}

/** They are few among many: nothing else is read as JSON. */
function* linesWith(bytes: Buffer, text: string): Generator<string> {
  for (let hit = bytes.indexOf(text); hit !== -1;) {
    const end = bytes.indexOf('\n', hit);
    // What has no end is being written.
    if (end === -1) return;
    yield bytes.toString('utf8', bytes.lastIndexOf('\n', hit) + 1, end);
    hit = bytes.indexOf(text, end);
  }
}

/** Whether anything in it is from then on. */
function isFrom(path: string, time: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= time;
}
