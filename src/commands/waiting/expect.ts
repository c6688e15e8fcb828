import { CliError } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import { spanText } from '../../cli/output/figures.ts';
import { webhookId } from '../../webhooks/event/event.ts';
import { expectation, type Expected } from '../../webhooks/event/filters.ts';
import { firstResult, type SourceEvent } from '../../webhooks/event-sources.ts';
import { createLimit, eventText, openWatch, timelineEvent, unnamed } from './watch.ts';

export interface Expecting extends Expected {
  readonly count: number;
  /** Milliseconds after the end of the command. */
  readonly within: number;
  readonly words: readonly string[];
}

/** Runs the command and waits for its events. Returns the exit code of the command, or 0; throws if events are missing. */
export async function expectEvents(context: Context, options: Expecting): Promise<number> {
  // Refuses invalid events and conditions before anything starts.
  const expected = { resultOf: expectation(options), resultByName: expectation({ ...options, where: [] }) };
  const [watch, progress] = [await openWatch(context), await context.progress()];
  const limit = createLimit(watch.later, context.host.signal);
  const tally = createTally(options);
  try {
    const judge = createJudge({ ...expected, tally, start: watch.now() }, context);
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
  readonly start: number;
}

/** Returns a function that counts events; its result ends the wait. */
function createJudge({ resultOf, resultByName, tally, start }: JudgeOptions, { note }: Context) {
  const isNew = createFirstTime();
  return (event: SourceEvent): CliError | 'all' | undefined => {
    const result = resultOf(event);
    if (!result) {
      tally.other(event, resultByName(event) === 'expected' ? 'body' : 'name');
      return undefined;
    }
    // The message id shows events of other messages.
    const about = event.message_id === undefined ? '' : ` (${event.message_id})`;
    note('event', eventText(timelineEvent(event, start)) + about);
    if (result === 'opposite') return tally.opposite(event);
    if (isNew(event)) tally.arrived();
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

/** Counts expected and other events. */
interface Tally {
  /** An expected event. */
  arrived(): void;
  /** An event that is not expected because of its name or its body. */
  other(event: SourceEvent, why: 'name' | 'body'): void;
  isFull(): boolean;
  opposite(event: SourceEvent): CliError;
  timedOut(): CliError;
  interrupted(): CliError;
}

function createTally({ event: wanted, where, count, within }: Omit<Expecting, 'words'>): Tally {
  const others = { name: new Map<string, number>(), body: new Map<string, number>() };
  let arrived = 0;
  const progress = () => `${arrived} of ${count} ${wanted} arrived`;
  return {
    arrived: () => void (arrived += 1),
    other: (event, why) => void others[why].set(nameOf(event), (others[why].get(nameOf(event)) ?? 0) + 1),
    isFull: () => arrived >= count,
    opposite: ({ name, reason = 'no reason given' }) =>
      new CliError('opposite', 'opposite', `${name} arrived instead of ${wanted}: ${reason}`),
    timedOut() {
      const conditions = where.map((one) => ` --where '${one}'`).join('');
      const hints = [
        ...(others.body.size > 0 ? [`${listed(others.body)} arrived, but did not match${conditions}`] : []),
        ...(others.name.size > 0 ? [`other events: ${listed(others.name)}`] : []),
      ];
      const hint = hints.length > 0 ? hints.join('; ') : 'no other events arrived';
      const message = `${progress()} within ${within / 1000} s after the command ended`;
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
