import { createLimit, openWatch } from './watch.ts';
import { CliError } from '../../base/errors.ts';
import type { Context, Emit, Ui } from '../../cli/command.ts';
import type { AnswerOf } from '../../contract/endpoints.ts';
import { mentions } from '../../webhooks/event/event.ts';
import { type Goal, type Meaning, meaningFor } from '../../webhooks/event/filters.ts';
import { firstResult, type SourceEvent } from '../../webhooks/event-sources.ts';
import { seconds, type Seen, seen, told } from './timeline-event.ts';

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
  const watch = await openWatch(context);
  const limit = createLimit(watch.later, context.signal);
  try {
    const timeline = createTimeline(context, emit, watch.now());
    const { message_id: id } = await send();
    limit.start(wait.within);
    await timeline.sent(id);
    const judge = async (event: SourceEvent) => {
      if (!mentions(event, id)) return undefined;
      await timeline.add(event);
      return meaningFor(event, wait.goal);
    };
    const judged = await firstResult(watch, judge, limit.signal).catch(gone);
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

/** How a wait for what becomes of a message came to its end. */
interface Ending {
  readonly id: string;
  readonly goal: Goal;
  readonly within: number;
  readonly from: 'sandbox' | 'listener';
  readonly events: readonly Seen[];
  /** An error where those who told of the events are gone. */
  readonly by: Meaning | 'interrupted' | 'late' | CliError;
}

type State = 'delivered' | 'read' | 'failed' | 'timed-out' | 'interrupted' | 'unknown';

function stateOf({ by, events }: Ending): State {
  if (by === 'late') return 'timed-out';
  if (by === 'interrupted') return 'interrupted';
  if (by === 'opposite') return 'failed';
  if (by !== 'came') return 'unknown';
  return events.at(-1)?.event === 'message.read' ? 'read' : 'delivered';
}

/** Whatever went wrong, the message was sent. */
function faultOf(ending: Ending): CliError | undefined {
  const { id, by, events } = ending;
  if (by === 'came') return undefined;
  if (by === 'late') return late(ending);
  if (by === 'interrupted') return new CliError('interrupted', 'interrupted', `interrupted; ${id} was sent`);
  if (by === 'opposite') {
    const why = events.at(-1)?.reason ?? 'no reason is given';
    return new CliError('opposite', 'message-failed', `${id} was sent and came to message.failed: ${why}`);
  }
  return new CliError('unsure', by.code, `${id} was sent, but ${by.message}`, { cause: by });
}

function late({ id, goal, within, from, events }: Ending): CliError {
  const none = from === 'listener' ? 'does the service send its events to the listener?' : 'none of its events came';
  const hint = events.length === 0 ? none : `what came: ${events.map(told).join(', ')}`;
  const message = `${id} was sent, but no message.${goal} came within ${within / 1000} s`;
  return new CliError('unsure', 'not-in-time', message, { hint });
}

/** What becomes of a message: lines on a terminal, notes elsewhere. */
interface Timeline {
  readonly events: readonly Seen[];
  sent(id: string): Promise<void>;
  add(event: SourceEvent): Promise<void>;
}

function createTimeline(context: Context, emit: Emit, since: number): Timeline {
  const events: Seen[] = [];
  return {
    events,
    async sent(id) {
      if (context.showsLines) await emit({ message_id: id }, (ui) => `${ui.done('Sent')} ${ui.outside(id)}`);
    },
    async add(event) {
      const one = seen(event, since);
      events.push(one);
      if (context.showsLines) await emit(one, (ui) => line(one, ui));
      else context.note('event', told(one));
    },
  };
}

function line({ event, after_ms: after, reason }: Seen, ui: Ui): string {
  const name = event === 'message.failed' ? ui.color.red(event) : ui.outside(event ?? 'an event without a name');
  const why = reason === null ? '' : `  ${ui.outside(reason)}`;
  return `  ${`+${seconds(after)}`.padStart(10)}  ${name}${why}`;
}
