import { CliError } from '../../base/errors.ts';
import type { Context, Emit, Ui } from '../../cli/command.ts';
import { spanText } from '../../cli/output/figures.ts';
import type { AnswerOf } from '../../contract/endpoints.ts';
import { mentions } from '../../webhooks/event/event.ts';
import { type Goal, type Result, resultFor } from './results.ts';
import { firstResult, type SourceEvent } from './sources.ts';
import { createLimit, eventText, openWatch, seconds, timelineEvent, type TimelineEvent, unnamed } from './watch.ts';

export interface Wait {
  readonly goal: Goal;
  /** Milliseconds after the send. */
  readonly within: number;
  readonly emit: Emit;
}

/** A sent message and the events that followed. */
export interface Waited {
  readonly data: {
    readonly message_id: string;
    readonly outcome: WaitOutcome;
    readonly events: readonly TimelineEvent[];
  };
  readonly fault: CliError | undefined;
  /** True if the terminal shows it already. */
  readonly shown: boolean;
}

type WaitOutcome = 'delivered' | 'read' | 'failed' | 'timed-out' | 'interrupted' | 'unknown';

/** Opens an event source, sends a message and waits until it reaches the goal. */
export async function sendAndWait(
  context: Context,
  { emit, ...wait }: Wait,
  send: () => Promise<AnswerOf<'sendTemplate'>>,
): Promise<Waited> {
  const [watch, progress] = [await openWatch(context), await context.progress()];
  const limit = createLimit(watch.later, context.host.signal);
  try {
    const timeline = createTimeline(context, emit, watch.now());
    const { message_id: id } = await send();
    limit.start(wait.within);
    await timeline.sent(id);
    const until = watch.now() + wait.within;
    const waiting = (columns: number) => {
      const rest = `message.${wait.goal} · ${spanText((until - watch.now()) / 1_000)} left`;
      const whole = `waiting for ${rest}`;
      return whole.length <= columns ? whole : rest;
    };
    progress.follow(waiting);
    const judge = async (event: SourceEvent) => {
      if (!mentions(event, id)) return undefined;
      // A line printed while it is shown would be appended to it.
      progress.end();
      await timeline.add(event);
      progress.follow(waiting);
      return resultFor(event, wait.goal);
    };
    const result = await firstResult(watch, judge, limit.signal).catch(sourceEnded);
    const by = result ?? (context.host.signal.aborted ? 'interrupted' : 'timed-out');
    return waited({ id, ...wait, from: watch.from, events: timeline.events, by }, context);
  } finally {
    progress.end();
    limit.release();
    await watch.close();
  }
}

/** The event source failed, for example because the sandbox ended. */
function sourceEnded(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

interface Ending {
  readonly id: string;
  readonly goal: Goal;
  readonly within: number;
  readonly from: 'sandbox' | 'listener';
  readonly events: readonly TimelineEvent[];
  /** The end of the wait; an error if the event source failed. */
  readonly by: Result | 'interrupted' | 'timed-out' | CliError;
}

function waited(ending: Ending, { showsLines: shown }: Context): Waited {
  const { id: message_id, events } = ending;
  return { data: { message_id, outcome: outcomeOf(ending), events }, fault: faultOf(ending), shown };
}

function outcomeOf({ by, events }: Ending): WaitOutcome {
  if (by === 'timed-out' || by === 'interrupted') return by;
  if (by === 'opposite') return 'failed';
  if (by !== 'expected') return 'unknown';
  return events.at(-1)?.event === 'message.read' ? 'read' : 'delivered';
}

/** In every case the message was sent. */
function faultOf(ending: Ending): CliError | undefined {
  const { id, by, events } = ending;
  if (by === 'expected') return undefined;
  if (by === 'timed-out') return timedOut(ending);
  if (by === 'interrupted') return new CliError('interrupted', 'interrupted', `interrupted; ${id} was sent`);
  if (by === 'opposite') {
    const why = events.at(-1)?.reason ?? 'no reason given';
    return new CliError('opposite', 'message-failed', `${id} was sent but failed: ${why}`);
  }
  return new CliError('unsure', by.code, `${id} was sent, but ${by.message}`, { cause: by });
}

function timedOut({ id, goal, within, from, events }: Ending): CliError {
  const none = from === 'listener' ? 'does the service send its events to the listener?' : 'it had no events;';
  const known = events.length === 0 ? none : `its events: ${events.map(eventText).join(', ')};`;
  const more = from === 'sandbox' ? `bizmsg sandbox log ${id}` : 'bizmsg webhooks list';
  const hint = `${known} ${more} shows more; do not send it again`;
  const message = `${id} was sent, but no message.${goal} arrived within ${within / 1000} s`;
  return new CliError('unsure', 'not-in-time', message, { hint });
}

/** The events of a message: as lines on a terminal, otherwise as notes. */
interface Timeline {
  readonly events: readonly TimelineEvent[];
  sent(id: string): Promise<void>;
  add(event: SourceEvent): Promise<void>;
}

function createTimeline(context: Context, emit: Emit, start: number): Timeline {
  const events: TimelineEvent[] = [];
  return {
    events,
    async sent(id) {
      if (context.showsLines)
        await emit([{ data: { message_id: id }, text: (ui) => `${ui.done('Sent')} ${ui.outside(id)}` }]);
    },
    async add(event) {
      const one = timelineEvent(event, start);
      events.push(one);
      if (context.showsLines) await emit([{ data: one, text: (ui) => eventLine(one, ui) }]);
      else context.note('event', eventText(one));
    },
  };
}

function eventLine({ event, after_ms: after, reason }: TimelineEvent, ui: Ui): string {
  const name = event === 'message.failed' ? ui.color.red(event) : ui.outside(event ?? unnamed);
  const why = reason === null ? '' : `  ${ui.outside(reason)}`;
  return `  ${`+${seconds(after)}`.padStart(10)}  ${name}${why}`;
}
