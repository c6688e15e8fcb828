import type { CliError } from '../errors.ts';
import { earlierOf } from './earlier.ts';
import type { Search } from './earlier.ts';
import { begin } from './entry.ts';
import type { Entry, Writer } from './entry.ts';
import type { Facts } from './record.ts';
import { judge, unsureAmong } from './twice.ts';
import type { Earlier, Occasion, Verdict } from './twice.ts';

export interface Guard extends Pick<Search, 'kill' | 'onDamage'>, Pick<Occasion, 'allowUnsure'> {
  /** Resolves when it is meant; undefined where nobody is there to be asked, who then is told. */
  readonly ask: ((earlier: Earlier) => Promise<void>) | undefined;
  readonly tell: (earlier: Earlier) => void;
  readonly refusal: (earlier: Earlier) => CliError;
}

/** A message that is to be sent once. */
export interface Once {
  /** Before it waits for its turn: whoever thinks about the answer keeps nobody else from theirs. */
  ask(): Promise<void>;
  /**
   * When it is about to leave. Its intent is written before the others are looked at, so that of two processes at the
   * same instant one knows of the other.
   */
  begin(): Promise<Entry>;
}

type OnceFacts = Facts & { readonly digest: string };

export function createOnce(writer: Writer, facts: OnceFacts, guard: Guard): Once {
  const { process: own } = writer;
  const answered = new Set<string>();
  const look: Look = (now, mine) => {
    const earlier = lookFor(writer, { digest: facts.digest, now, mine, ...guard });
    return { earlier, now, verdict: judge(earlier, { now, allowUnsure: guard.allowUnsure, answered }) };
  };
  const ask = async ({ earlier, verdict }: Seen) => {
    if (verdict.kind === 'again') await guard.ask?.(verdict.earlier);
    for (const { id } of earlier) answered.add(id);
  };
  return {
    ask: async () => {
      const seen = guard.ask && look(own.now());
      // A refusal is written down, and so comes when it is begun.
      if (seen?.verdict.kind === 'again') await ask(seen);
    },
    begin: async () => {
      for (;;) {
        const begun = attempt(begin(writer, facts), look, guard);
        if ('entry' in begun) return begun.entry;
        await ask(begun.seen);
      }
    },
  };
}

interface Seen {
  readonly earlier: readonly Earlier[];
  readonly now: number;
  readonly verdict: Verdict;
}

type Look = (now: number, mine?: string) => Seen;

/** Either it may leave, or it has been withdrawn until somebody has answered. */
function attempt(entry: Entry, look: Look, guard: Guard): { readonly entry: Entry } | { readonly seen: Seen } {
  const seen = look(entry.intent.at, entry.intent.id);
  const { verdict } = seen;
  if (verdict.kind === 'unsure' || (verdict.kind === 'again' && guard.ask)) {
    entry.end({ outcome: 'withdrawn' });
    if (verdict.kind === 'unsure') throw guard.refusal(verdict.earlier);
    return { seen };
  }
  if (verdict.kind === 'again') guard.tell(verdict.earlier);
  entry.sync();
  return { entry: forgiving(entry, seen) };
}

/** It leaves in spite of what was unsure: where it is done, those who come after it need not ask. */
function forgiving(entry: Entry, { earlier, now }: Seen): Entry {
  const known = unsureAmong(earlier, now).map(({ id }) => id);
  return { ...entry, end: (came) => entry.end(came, known.length > 0 ? known : undefined) };
}

function lookFor({ folder, onFault }: Writer, search: Omit<Search, 'folder'>): readonly Earlier[] {
  try {
    return earlierOf({ folder, ...search });
  } catch (error) {
    onFault(error, 'earlier');
    return [];
  }
}
