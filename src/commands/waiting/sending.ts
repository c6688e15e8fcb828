import type { Context, Emit } from '../../cli/command.ts';
import type { AnswerOf } from '../../contract/endpoints.ts';
import { CliError } from '../../base/errors.ts';
import { mentions } from '../../webhooks/event/event.ts';
import { type Goal, meaningFor } from '../../webhooks/event/filters.ts';
import { createLimit, type Happened, until } from '../../webhooks/watch/watch.ts';
import { type Ending, faultOf, type State, stateOf } from './ending.ts';
import type { Seen } from './seen.ts';
import { createTimeline } from './timeline.ts';

export interface Wait {
  readonly goal: Goal;
  /** Milliseconds from the send on. */
  readonly within: number;
  readonly emit: Emit;
}

/** A message, and what became of it for as long as that was waited for. */
export interface Waited {
  readonly data: { readonly message_id: string; readonly outcome: State; readonly events: readonly Seen[] };
  readonly fault: CliError | undefined;
  /** It stands on the terminal already. */
  readonly shown: boolean;
}

type Send = () => Promise<AnswerOf<'sendTemplate'>>;

/** Listens, sends, and waits for what becomes of the message. */
export async function sendAndWait(context: Context, { emit, ...wait }: Wait, send: Send): Promise<Waited> {
  const watch = await context.watch();
  const limit = createLimit(watch.later, context.signal);
  try {
    const timeline = createTimeline(context, emit, watch.now());
    const { message_id: id } = await send();
    limit.start(wait.within);
    await timeline.sent(id);
    const judge = async (event: Happened) => {
      if (!mentions(event, id)) return undefined;
      await timeline.add(event);
      return meaningFor(event, wait.goal);
    };
    const judged = await until(watch, judge, limit.signal).catch(gone);
    const by = judged ?? (context.signal.aborted ? 'interrupted' : 'late');
    return waited({ id, ...wait, from: watch.from, events: timeline.events, by }, context);
  } finally {
    limit.release();
    await watch.close();
  }
}

function waited(ending: Ending, { showsLines: shown }: Context): Waited {
  const { id: message_id, events } = ending;
  return { data: { message_id, outcome: stateOf(ending), events }, fault: faultOf(ending), shown };
}

/** Whoever told of the events has ended. */
function gone(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}
