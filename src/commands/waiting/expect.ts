import { CliError } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import { spanText } from '../../cli/output/figures.ts';
import { webhookId } from '../../webhooks/event/event.ts';
import { expectation, type Expected } from '../../webhooks/event/filters.ts';
import { firstResult, type SourceEvent } from '../../webhooks/event-sources.ts';
import { openHandler } from '../../webhooks/forward/handler.ts';
import { createLimit, eventText, openWatch, timelineEvent, unnamed } from './watch.ts';

export interface Expecting extends Expected {
  readonly count: number;
  /** Milliseconds after the end of the command. */
  readonly within: number;
  readonly handler: HandlerOptions | undefined;
  readonly words: readonly string[];
}

/** Runs the command and waits for its events. Returns the exit code of the command, or 0; throws if events are missing. */
export async function expectEvents(context: Context, options: Expecting): Promise<number> {
  // Refuses invalid events and conditions before anything starts.
  const expected = { resultOf: expectation(options), resultByName: expectation({ ...options, where: [] }) };
  const handler = options.handler && openHandlerCheck(options.handler, context);
  const [watch, progress] = [await openWatch(context, handler ? 'delivered' : 'reported'), await context.progress()];
  const limit = createLimit(watch.later, context.host.signal);
  const tally = createTally(options);
  limit.signal.addEventListener('abort', () => handler?.close());
  try {
    const judge = createJudge({ ...expected, tally, handler, start: watch.now(), signal: limit.signal }, context);
    const waiting = firstResult(watch, judge, limit.signal);
    // Rethrown below; an error here would leave the command running.
    waiting.catch(() => {});
    const code = await run(context, options.words, async (exit) => {
      if (exit !== 0) return;
      // Background processes of the command may still cause events.
      limit.start(options.within);
      const until = watch.now() + options.within;
      progress.follow(() => `waiting for ${options.event} · ${spanText((until - watch.now()) / 1_000)} left`);
      await waiting.catch(() => {});
      progress.end();
    });
    if (code !== 0) return code;
    const result = (await waiting) ?? (context.host.signal.aborted ? tally.interrupted() : tally.timedOut());
    if (result instanceof CliError) throw result;
    return 0;
  } finally {
    limit.release();
    handler?.close();
    await watch.close();
  }
}

async function run(
  context: Context,
  words: readonly string[],
  afterwards: (exit: number) => Promise<void>,
): Promise<number> {
  const { runCommand } = await import('../../cli/child.ts');
  return runCommand(context.host, { command: words, stateFolder: context.stateFolder(), afterwards });
}

interface JudgeOptions {
  readonly resultOf: ReturnType<typeof expectation>;
  /** Ignores conditions on the body. */
  readonly resultByName: ReturnType<typeof expectation>;
  readonly tally: Tally;
  readonly handler: HandlerCheck | undefined;
  readonly start: number;
  readonly signal: AbortSignal;
}

/** Returns a function that counts events; its result ends the wait. */
function createJudge({ resultOf, resultByName, tally, handler, start, signal }: JudgeOptions, { note }: Context) {
  const isNew = createFirstTime();
  return async (event: SourceEvent): Promise<CliError | 'all' | undefined> => {
    const result = resultOf(event);
    if (!result) {
      tally.other(event, resultByName(event) === 'expected' ? 'body' : 'name');
      return undefined;
    }
    // The message id shows events of other messages.
    const about = event.message_id === undefined ? '' : ` (${event.message_id})`;
    note('event', eventText(timelineEvent(event, start)) + about);
    if (result === 'opposite') return tally.opposite(event);
    tally.arrived(event);
    const problem = await handler?.send(event);
    if (handler && signal.aborted) return undefined;
    if (problem) return problem;
    tally.handled(isNew(event));
    return tally.isFull() ? 'all' : undefined;
  };
}

/** Returns false for an event that was delivered before. */
function createFirstTime(): (event: SourceEvent) => boolean {
  const known = new Set<string>();
  return ({ received }) => {
    const id = received && webhookId(received);
    const isKnown = id !== undefined && known.has(id);
    if (id !== undefined) known.add(id);
    return !isKnown;
  };
}

interface HandlerOptions {
  readonly url: URL;
  /** The address as the user typed it. */
  readonly forwardTo: string;
  /** The required answer (default: any). */
  readonly answer: RequiredAnswer | undefined;
}

interface RequiredAnswer {
  readonly text: string;
  matches(status: number): boolean;
}

/** Forwards events to the user's handler and checks its answers. */
interface HandlerCheck {
  /** Returns the problem if the answer is wrong or missing. */
  send(event: SourceEvent): Promise<CliError | undefined>;
  /** Aborts requests in flight. */
  close(): void;
}

function openHandlerCheck({ url, forwardTo, answer }: HandlerOptions, { note }: Pick<Context, 'note'>): HandlerCheck {
  const handler = openHandler(url);
  const required = { hint: `required: ${answer?.text ?? 'any answer'}` };
  return {
    async send({ name = unnamed, received }) {
      if (!received) return undefined;
      const answered = await handler.send(received);
      if ('error' in answered) {
        const message = `the handler at ${forwardTo} did not answer ${name}: ${answered.error}`;
        return new CliError('opposite', 'answer', message, required);
      }
      const message = `the handler at ${forwardTo} answered ${answered.status} to ${name}`;
      if (answer && !answer.matches(answered.status)) return new CliError('opposite', 'answer', message, required);
      note('answer', message);
      return undefined;
    },
    close: handler.close,
  };
}

/** Counts expected and other events. */
interface Tally {
  /** An expected event; it counts once the handler has answered. */
  arrived(event: SourceEvent): void;
  /** The last arrived event was handled. */
  handled(isNew: boolean): void;
  /** An event that is not expected because of its name or its body. */
  other(event: SourceEvent, why: 'name' | 'body'): void;
  isFull(): boolean;
  opposite(event: SourceEvent): CliError;
  timedOut(): CliError;
  interrupted(): CliError;
}

function createTally({ event: wanted, where, count, within }: Omit<Expecting, 'handler' | 'words'>): Tally {
  const others = { name: new Map<string, number>(), body: new Map<string, number>() };
  let handled = 0;
  let unanswered: string | undefined;
  const progress = (when = '') =>
    unanswered === undefined
      ? `${handled} of ${count} ${wanted} arrived${when}`
      : `${unanswered} arrived, but the handler had not answered${when} (${handled} of ${count} so far)`;
  return {
    arrived: (event) => void (unanswered = nameOf(event)),
    handled(isNew) {
      unanswered = undefined;
      if (isNew) handled += 1;
    },
    other: (event, why) => void others[why].set(nameOf(event), (others[why].get(nameOf(event)) ?? 0) + 1),
    isFull: () => handled >= count,
    opposite: ({ name, reason = 'no reason given' }) =>
      new CliError('opposite', 'opposite', `${name} arrived instead of ${wanted}: ${reason}`),
    timedOut() {
      const conditions = where.map((one) => ` --where '${one}'`).join('');
      const hints = [
        ...(others.body.size > 0 ? [`${listed(others.body)} arrived, but did not match${conditions}`] : []),
        ...(others.name.size > 0 ? [`other events: ${listed(others.name)}`] : []),
      ];
      const hint = hints.length > 0 ? hints.join('; ') : 'no other events arrived';
      const message = progress(` within ${within / 1000} s after the command ended`);
      return new CliError('unsure', 'not-in-time', message, { hint });
    },
    interrupted: () => new CliError('interrupted', 'interrupted', `interrupted; ${progress()}`),
  };
}

function nameOf({ name = unnamed }: SourceEvent): string {
  return name;
}

function listed(times: ReadonlyMap<string, number>): string {
  return [...times].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ');
}
