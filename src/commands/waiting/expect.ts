import { CliError } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import { spanText } from '../../cli/output/figures.ts';
import { webhookId } from '../../webhooks/event/event.ts';
import { expectation, type Expected } from './results.ts';
import { firstResult, type SourceEvent } from './sources.ts';
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
  const tally = createTally({ ...options, ...expected, start: watch.now() }, context);
  try {
    const waiting = firstResult(watch, tally.judge, limit.signal);
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
  const { runCommand } = await import('../child.ts');
  return runCommand(context.host, { command: words, stateFolder: context.stateFolder(), afterwards });
}

interface TallyOptions extends Omit<Expecting, 'words'> {
  readonly resultOf: ReturnType<typeof expectation>;
  /** Ignores conditions on the body. */
  readonly resultByName: ReturnType<typeof expectation>;
  readonly start: number;
}

/** Counts expected events, and by name those that are not expected because of their name or their body. */
function createTally({ event: wanted, where, count, within, ...options }: TallyOptions, { note }: Context) {
  const others = { name: new Map<string, number>(), body: new Map<string, number>() };
  const known = new Set<string>();
  let arrived = 0;
  const progress = () => `${arrived} of ${count} ${wanted} arrived`;
  return {
    /** The result ends the wait. */
    judge(event: SourceEvent): CliError | 'all' | undefined {
      const { name = unnamed, reason = 'no reason given', message_id: message, received } = event;
      const result = options.resultOf(event);
      if (!result) {
        const names = others[options.resultByName(event) === 'expected' ? 'body' : 'name'];
        names.set(name, (names.get(name) ?? 0) + 1);
        return undefined;
      }
      // The message id shows events of other messages.
      const about = message === undefined ? '' : ` (${message})`;
      note('event', eventText(timelineEvent(event, options.start)) + about);
      if (result === 'opposite')
        return new CliError('opposite', 'opposite', `${name} arrived instead of ${wanted}: ${reason}`);
      const id = received && webhookId(received);
      if (id === undefined || !known.has(id)) arrived += 1;
      if (id !== undefined) known.add(id);
      return arrived >= count ? 'all' : undefined;
    },
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

function listed(times: ReadonlyMap<string, number>): string {
  return [...times].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ');
}
