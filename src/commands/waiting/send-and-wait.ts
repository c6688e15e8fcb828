import { CliError } from '../../base/errors.ts';
import type { Context, Emit, Ui } from '../../cli/command.ts';
import { spanText } from '../../cli/output/figures.ts';
import type { AnswerOf } from '../../contract/endpoints.ts';
import { mentions, type WebhookEvent } from '../../webhooks/event/event.ts';
import {
  createLimit,
  eventText,
  firstResult,
  openWatch,
  type Result,
  seconds,
  timelineEvent,
  type TimelineEvent,
  unnamed,
  type Watch,
  type WatchedEvent,
} from './watch.ts';

export interface Wait {
  readonly goal: 'delivered' | 'read';
  /** Milliseconds after the send. */
  readonly within: number;
  readonly emit: Emit;
}

/** A sent message and the events that followed. */
export interface Waited {
  readonly data: {
    readonly message_id: string;
    readonly outcome: 'delivered' | 'read' | 'failed' | 'timed-out' | 'interrupted' | 'unknown';
    readonly events: readonly TimelineEvent[];
  };
  readonly fault: CliError | undefined;
  /** True if the terminal shows it already. */
  readonly shown: boolean;
}

/** Watches the events, sends a message, and waits until it reaches the goal. */
export async function sendAndWait(
  context: Context,
  { emit, goal, within }: Wait,
  send: () => Promise<AnswerOf<'sendTemplate'>>,
): Promise<Waited> {
  const { host, showsLines, note } = context;
  const [watch, progress] = [await openWatch(context), await context.progress()];
  const limit = createLimit(host.later, host.signal);
  const [start, events]: [number, TimelineEvent[]] = [watch.now(), []];
  try {
    const { message_id: id } = await send();
    limit.start(within);
    if (showsLines) await emit([{ data: { message_id: id }, text: (ui) => `${ui.done('Sent')} ${ui.outside(id)}` }]);
    const until = watch.now() + within;
    const follow = () => progress.follow(() => `message.${goal} · ${spanText((until - watch.now()) / 1_000)} left`);
    follow();
    const judge = async (event: WatchedEvent) => {
      if (!mentions(event, id)) return undefined;
      const shown = timelineEvent(event, start);
      events.push(shown);
      // A line printed while it is shown would be appended to it.
      progress.end();
      if (showsLines) await emit([{ data: shown, text: (ui) => eventLine(shown, ui) }]);
      else note('event', eventText(shown));
      follow();
      return resultFor(event, goal);
    };
    // The event source may fail, for example because the sandbox ended.
    const result = await firstResult(watch, judge, limit.signal).catch((error: unknown) =>
      error instanceof CliError ? error : Promise.reject(error),
    );
    const by = result ?? (host.signal.aborted ? 'interrupted' : 'timed-out');
    const { outcome, fault } = endingOf({ id, goal, within, from: watch.from, events, by });
    return { data: { message_id: id, outcome, events }, fault, shown: showsLines };
  } finally {
    progress.end();
    limit.release();
    await watch.close?.();
  }
}

/** How an event of the message ends a wait for this goal. */
function resultFor({ name }: Pick<WebhookEvent, 'name'>, goal: Wait['goal']): Result | undefined {
  if (name === 'message.failed') return 'opposite';
  // A message that was read was delivered.
  return name === 'message.read' || name === `message.${goal}` ? 'expected' : undefined;
}

interface Ending extends Pick<Wait, 'goal' | 'within'>, Pick<Watch, 'from'> {
  readonly id: string;
  readonly events: readonly TimelineEvent[];
  /** The end of the wait; an error if the event source failed. */
  readonly by: Result | 'interrupted' | 'timed-out' | CliError;
}

/** In every case the message was sent. */
function endingOf(ending: Ending): Pick<Waited['data'], 'outcome'> & Pick<Waited, 'fault'> {
  const { id, by, events, from } = ending;
  const last = events.at(-1);
  switch (by) {
    case 'expected':
      return { outcome: last?.event === 'message.read' ? 'read' : 'delivered', fault: undefined };
    case 'timed-out':
      return { outcome: by, fault: timedOut(ending) };
    case 'interrupted':
      return { outcome: by, fault: new CliError('interrupted', 'interrupted', `interrupted; ${id} was sent`) };
    case 'opposite': {
      const message = `${id} was sent but failed: ${last?.reason ?? 'no reason given'}`;
      const hint = `the person did not get it; ${moreFrom(from, id)} shows more; once that is fixed, send it with --again`;
      return { outcome: 'failed', fault: new CliError('opposite', 'message-failed', message, { hint }) };
    }
    default: {
      const message = `${id} was sent, but ${by.message}`;
      return { outcome: 'unknown', fault: new CliError('unsure', by.code, message, { cause: by }) };
    }
  }
}

function timedOut({ id, goal, within, from, events }: Ending): CliError {
  const none = from === 'listener' ? 'does the service send its events to the listener?' : 'it had no events;';
  const seen = events.length === 0 ? none : `its events: ${events.map(eventText).join(', ')};`;
  const hint = `${seen} ${moreFrom(from, id)} shows more; do not send it again`;
  const message = `${id} was sent, but no message.${goal} arrived within ${within / 1000} s`;
  return new CliError('unsure', 'not-in-time', message, { hint });
}

function moreFrom(from: Watch['from'], id: string): string {
  return from === 'sandbox' ? `bizmsg sandbox log ${id}` : 'bizmsg webhooks list';
}

function eventLine({ event, after_ms: after, reason }: TimelineEvent, ui: Ui): string {
  const name = event === 'message.failed' ? ui.color.red(event) : ui.outside(event ?? unnamed);
  const why = reason === null ? '' : `  ${ui.outside(reason)}`;
  return `  ${`+${seconds(after)}`.padStart(10)}  ${name}${why}`;
}
