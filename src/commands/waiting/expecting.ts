import type { Context } from '../../cli/command.ts';
import { CliError } from '../../base/errors.ts';
import { webhookId } from '../../webhooks/event/event.ts';
import { expectation, type Expected } from '../../webhooks/event/filters.ts';
import { createLimit, type Happened, until } from '../../webhooks/watch/watch.ts';
import { createHanding, type Handed, type Handing } from './handing.ts';
import { seen, told } from './seen.ts';
import { createTally, type Tally } from './tally.ts';

export interface Expecting extends Expected {
  readonly count: number;
  /** Milliseconds from the end of the command on. */
  readonly within: number;
  readonly handed: Handed | undefined;
  readonly words: readonly string[];
}

interface Judging {
  readonly means: ReturnType<typeof expectation>;
  /** The same whatever stands in its body. */
  readonly isNamed: ReturnType<typeof expectation>;
  readonly tally: Tally;
  readonly handing: Handing | undefined;
  readonly since: number;
  /** When it is aborted, a handler that has not answered does not any more. */
  readonly signal: AbortSignal;
}

/** Runs the command and waits for what it should cause. Its exit code, if that is one of failure; else 0, or an error. */
export async function expectEvents(context: Context, given: Expecting): Promise<number> {
  const meanings = { means: expectation(given), isNamed: expectation({ ...given, where: [] }) };
  const handing = given.handed && createHanding(given.handed, context);
  const watch = await context.watch(handing ? 'delivered' : 'told');
  const limit = createLimit(watch.later, context.signal);
  const tally = createTally(given);
  limit.signal.addEventListener('abort', () => handing?.close());
  try {
    const judge = judging({ ...meanings, tally, handing, since: watch.now(), signal: limit.signal }, context);
    const waiting = until(watch, judge, limit.signal);
    // It is thrown below: thrown here it would leave the command behind.
    waiting.catch(() => {});
    // The events may be caused by a process that the command left in the background.
    const code = await run(context, given.words, async (exit) => {
      if (exit !== 0) return;
      limit.start(given.within);
      await waiting.catch(() => {});
    });
    if (code !== 0) return code;
    const ending = (await waiting) ?? (context.signal.aborted ? tally.interrupted() : tally.late());
    if (ending instanceof CliError) throw ending;
    return 0;
  } finally {
    limit.release();
    handing?.close();
    await watch.close();
  }
}

function judging({ means, isNamed, tally, handing, since, signal }: Judging, { note }: Context) {
  const known = new Set<string>();
  return async (event: Happened): Promise<CliError | 'all' | undefined> => {
    const meaning = means(event);
    if (!meaning) {
      tally.other(event, isNamed(event) === 'came' ? 'body' : 'name');
      return undefined;
    }
    // It may be about another message than one thinks.
    const about = event.message_id === undefined ? '' : ` (${event.message_id})`;
    note('event', told(seen(event, since)) + about);
    if (meaning === 'opposite') return tally.opposite(event);
    tally.came(event);
    const fault = await handing?.hand(event);
    if (handing && signal.aborted) return undefined;
    if (fault) return fault;
    tally.taken(isNew(event, known));
    return tally.isFull() ? 'all' : undefined;
  };
}

/** What its sender sends again is the same event. */
function isNew({ received }: Happened, known: Set<string>): boolean {
  const id = received && webhookId(received);
  const isKnown = id !== undefined && known.has(id);
  if (id !== undefined) known.add(id);
  return !isKnown;
}

async function run(
  context: Context,
  words: readonly string[],
  afterwards: (exit: number) => Promise<void>,
): Promise<number> {
  const {
    run,
    process: { pid, now },
  } = await context.sandboxes();
  // Tells its processes from others.
  return run(words, { BIZMSG_EXPECTED_BY: `${pid}-${now()}` }, afterwards);
}
