import { statSync } from 'node:fs';
import { basename } from 'node:path';
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
  readonly digest: string;
  readonly now: number;
  /** The intent that is about to leave: of two at the same instant, the second in the file knows of the first. */
  readonly mine?: string | undefined;
  readonly kill: Probe;
  readonly onDamage: OnDamage;
}

/** What was sent of the same message, the oldest first. */
export function earlierOf(search: Search): readonly Earlier[] {
  const found: Found = { sends: [], endings: new Map(), times: [] };
  const files = logFiles(search.folder).toReversed();
  for (const { path } of files) if (isFrom(path, search.now - unsureFor)) read(path, search, found);
  return found.sends.map((send) => earlierIn(send, search, found));
}

interface Found {
  readonly sends: Send[];
  readonly endings: Map<string, Ending>;
  /** Of all that was written, in order. */
  readonly times: number[];
}

interface Send {
  /** Undefined where the line is damaged, which may have been one. */
  readonly intent: Intent | undefined;
  readonly id: string;
  /** How many times were written until then. */
  readonly after: number;
}

function read(path: string, { digest, mine, onDamage }: Search, { sends, endings, times }: Found): void {
  let isAfter = false;
  for (const { at, text } of linesWith(bytesOf({ path }), digest)) {
    const record = recordIn(text);
    if (!record) onDamage({ path, text: `${path} is damaged: a line is not as it was written` });
    else times.push(record.at);
    if (record?.type === 'ending') endings.set(record.id, record);
    else if (record && record.id === mine) isAfter = true;
    else if (!isAfter) sends.push({ intent: record, id: record?.id ?? `${basename(path)}@${at}`, after: times.length });
  }
}

function earlierIn({ intent, id, after }: Send, { now, kill }: Search, { endings, times }: Found): Earlier {
  // A time to come is of a clock that was set back since: what was written later came later all the same.
  const latest = Math.min(now, ...times.slice(after));
  if (!intent) return { id, at: undefined, since: latest, pid: 0, state: 'unsure' };
  const { at, pid } = intent;
  const ending = endings.get(id);
  const { message_id, forgives } = ending ?? {};
  return { id, at, since: at > now ? latest : at, pid, state: stateOf(intent, ending, kill), message_id, forgives };
}

/** They are few among many: nothing else is read as JSON. */
function* linesWith(bytes: Buffer, text: string): Generator<{ readonly at: number; readonly text: string }> {
  for (let hit = bytes.indexOf(text); hit !== -1;) {
    const end = bytes.indexOf('\n', hit);
    // What has no end is being written.
    if (end === -1) return;
    const at = bytes.lastIndexOf('\n', hit) + 1;
    yield { at, text: bytes.toString('utf8', at, end) };
    hit = bytes.indexOf(text, end);
  }
}

/** Whether anything in it is from then on. */
function isFrom(path: string, time: number): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= time;
}
