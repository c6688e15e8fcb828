import { createLimit, openWatch } from './watch.ts';
import { CliError } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import { webhookId } from '../../webhooks/event/event.ts';
import { expectation, type Expected } from '../../webhooks/event/filters.ts';
import { openHandler } from '../../webhooks/forward/replay.ts';
import { firstResult, type SourceEvent } from '../../webhooks/event-sources.ts';
import { seen, told } from './timeline-event.ts';

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
  const watch = await openWatch(context, handing ? 'delivered' : 'reported');
  const limit = createLimit(watch.later, context.signal);
  const tally = createTally(given);
  limit.signal.addEventListener('abort', () => handing?.close());
  try {
    const judge = judging({ ...meanings, tally, handing, since: watch.now(), signal: limit.signal }, context);
    const waiting = firstResult(watch, judge, limit.signal);
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
  return async (event: SourceEvent): Promise<CliError | 'all' | undefined> => {
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
function isNew({ received }: SourceEvent, known: Set<string>): boolean {
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
  const [{ runCommand }, { stateFolder }] = await Promise.all([import('../../cli/child.ts'), context.sandboxes()]);
  const { host } = context.session;
  // Tells its processes from others.
  const variables = { BIZMSG_EXPECTED_BY: `${host.pid}-${host.now()}` };
  return runCommand(host, { command: words, stateFolder, variables, afterwards });
}

interface Handed {
  readonly url: URL;
  /** The same as it was given. */
  readonly forwardTo: string;
  /** What has to be answered. */
  readonly answer: Answer | undefined;
}

interface Answer {
  readonly text: string;
  holds(status: number): boolean;
}

/** Hands events to code that is to take them. */
interface Handing {
  /** Why what it answered will not do. */
  hand(event: SourceEvent): Promise<CliError | undefined>;
  /** What is under way ends without an answer. */
  close(): void;
}

function createHanding({ url, forwardTo, answer }: Handed, { note }: Pick<Context, 'note'>): Handing {
  const handler = openHandler(url);
  return {
    async hand({ name = 'an event without a name', received }) {
      if (!received) return undefined;
      const answered = await handler.hand(received);
      const who = `the handler at ${forwardTo}`;
      const due = { hint: `${answer?.text ?? 'an answer'} is due` };
      if ('error' in answered)
        return new CliError('opposite', 'answer', `${who} did not answer ${name}: ${answered.error}`, due);
      const message = `${who} answered ${answered.status} to ${name}`;
      if (answer && !answer.holds(answered.status)) return new CliError('opposite', 'answer', message, due);
      note('answer', message);
      return undefined;
    },
    close: handler.close,
  };
}

/** What came, of what is expected and else. */
interface Tally {
  /** One that is expected; it counts once a handler has taken it. */
  came(event: SourceEvent): void;
  /** The last that came, and whether it had not come before. */
  taken(isNew: boolean): void;
  /** One that is not expected, for its name or for its body. */
  other(event: SourceEvent, why: 'name' | 'body'): void;
  isFull(): boolean;
  opposite(event: SourceEvent): CliError;
  late(): CliError;
  interrupted(): CliError;
}

interface Wanted {
  readonly event: string;
  readonly where: readonly string[];
  readonly count: number;
  readonly within: number;
}

function createTally({ event: wanted, where, count, within }: Wanted): Tally {
  const others = { name: new Map<string, number>(), body: new Map<string, number>() };
  let taken = 0;
  let unanswered: string | undefined;
  const said = (when = '') =>
    unanswered === undefined
      ? `${taken} of ${count} ${wanted} came${when}`
      : `${unanswered} came, but the handler had not answered${when} (${taken} of ${count} so far)`;
  return {
    came: (event) => void (unanswered = nameOf(event)),
    taken(isNew) {
      unanswered = undefined;
      if (isNew) taken += 1;
    },
    other: (event, why) => void others[why].set(nameOf(event), (others[why].get(nameOf(event)) ?? 0) + 1),
    isFull: () => taken >= count,
    opposite: ({ name, reason = 'no reason is given' }) =>
      new CliError('opposite', 'opposite', `${name} came in place of ${wanted}: ${reason}`),
    late() {
      const conditions = where.map((one) => ` --where '${one}'`).join('');
      const hints = [
        ...(others.body.size > 0 ? [`${listed(others.body)} came, but not with${conditions}`] : []),
        ...(others.name.size > 0 ? [`what came instead: ${listed(others.name)}`] : []),
      ];
      const hint = hints.length > 0 ? hints.join('; ') : 'no other event came either';
      const message = said(` within ${within / 1000} s after the command ended`);
      return new CliError('unsure', 'not-in-time', message, { hint });
    },
    interrupted: () => new CliError('interrupted', 'interrupted', `interrupted; ${said()}`),
  };
}

function nameOf({ name = 'an event without a name' }: SourceEvent): string {
  return name;
}

function listed(times: ReadonlyMap<string, number>): string {
  return [...times].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ');
}
