import type { CliError } from '../errors.ts';
import { earlierOf } from './earlier.ts';
import type { Search } from './earlier.ts';
import { begin } from './entry.ts';
import type { Entry, Writer } from './entry.ts';
import type { Facts } from './record.ts';
import { judge } from './twice.ts';
import type { Earlier, Occasion } from './twice.ts';

export interface Guard extends Pick<Search, 'kill' | 'onDamage'>, Pick<Occasion, 'allowUnsure'> {
  /** Resolves when it is meant; undefined where nobody is there to be asked, who then is told. */
  readonly ask: ((earlier: Earlier) => Promise<void>) | undefined;
  readonly tell: (earlier: Earlier) => void;
  readonly refusal: (earlier: Earlier) => CliError;
}

/**
 * Begins a message that is to be sent once. Its intent is written before the others are looked at, so that of two
 * processes at the same instant one knows of the other.
 */
export async function beginOnce(writer: Writer, facts: Facts, guard: Guard): Promise<Entry> {
  const answered = new Set<string>();
  for (;;) {
    const entry = begin(writer, facts);
    const earlier = look(writer, entry, guard);
    const verdict = judge(earlier, { now: entry.intent.at, allowUnsure: guard.allowUnsure, answered });
    if (verdict.kind === 'go' || (verdict.kind === 'again' && !guard.ask)) {
      if (verdict.kind === 'again') guard.tell(verdict.earlier);
      entry.sync();
      return entry;
    }
    entry.end({ outcome: 'withdrawn' });
    if (verdict.kind === 'unsure') throw guard.refusal(verdict.earlier);
    await guard.ask?.(verdict.earlier);
    for (const { id } of earlier) answered.add(id);
  }
}

function look({ folder, onFault }: Writer, { intent }: Entry, guard: Guard): readonly Earlier[] {
  try {
    return earlierOf({ folder, intent, ...guard });
  } catch (error) {
    onFault(error, 'earlier');
    return [];
  }
}
