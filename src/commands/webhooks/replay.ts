import { CliError, forOption, usage } from '../../base/errors.ts';
import { type Context, streaming } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { counted } from '../../cli/output/figures.ts';
import { flag, type Input, option, repeated, words } from '../../cli/params.ts';
import { isDelivered } from '../../contract/events.ts';
import type { Received } from '../../logs/events.ts';
import type { Attempt, Past } from '../../logs/forwards.ts';
import type { History } from '../../webhooks/history.ts';
import { confirmOutside } from './confirm-outside.ts';
import { isSelection, selecting, type Selection, selectionParams } from '../list.ts';
import { openHistory } from './recorded.ts';
import { requiredSecret, secretParams } from './secrets.ts';
import { entryOf, eventSelection, hasFailed, whereText } from './selection.ts';

export const replayEvents = streaming({
  name: 'replay',
  summary: 'Send received events again, oldest first',
  details: [
    'Events are sent in sequence with their original bytes and headers. Without --to each goes to the address of',
    'its last forward. Exit 10: some were not answered with 2xx.',
  ].join('\n'),
  params: {
    ids: words('[ids...]', 'the ids of events from webhooks history, or their beginnings'),
    ...selectionParams(eventSelection),
    where: repeated('--where <path=value>', whereText),
    to: option(
      '--to <address>',
      'the destination: 3000, localhost:3000/hook or a URL (default: the last one of each event)',
    ),
    resign: flag('--resign', 're-sign events that are too old to be accepted'),
    ...secretParams,
  },
  examples: ['webhooks replay --since 10m --failed', 'webhooks replay e12 --to 3000'],
  sample: 'e12  message.read  200  12 ms\nReplayed 1: 1 x answered 200',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  async *run(context, input) {
    const history = await openHistory(context);
    try {
      return yield* replayed(context, history, input);
    } finally {
      await history?.logs.close();
    }
  },
  line: ({ id, name, status, error, ms }, ui) => {
    const paint = isDelivered({ status: status ?? undefined, error: error ?? undefined })
      ? ui.color.green
      : ui.color.red;
    return [id, name ?? 'no name', paint(error ?? String(status)), `${ms} ms`].join('  ');
  },
  view: ({ replayed, answers }) => {
    const counts = Object.entries(answers).map(([answer, count]) => `${count} x ${answer}`);
    return replayed === 0 ? 'Nothing to replay' : `Replayed ${replayed}: ${counts.join(', ')}`;
  },
  exit: ({ failed }) => (failed > 0 ? 'partial' : 'done'),
});

interface ReplayInput extends Selection, Input<typeof secretParams> {
  readonly ids: readonly string[];
  readonly where: readonly string[];
  readonly to: string | undefined;
  readonly resign: boolean;
}

async function* replayed(context: Context, history: History | undefined, input: ReplayInput) {
  const to = await destinations(context, history, input);
  await confirmOutside(context, to.values(), (count) => (count === 1 ? 'Send an event' : `Send ${count} events`));
  const prepare = await preparation(context, input);
  const { eventOf } = await import('../../webhooks/event/event.ts');
  const answers = new Map<string, number>();
  let [count, failed] = [0, 0];
  try {
    for await (const { event, attempt } of sent(context, history, to, prepare)) {
      count += 1;
      const { status = null, error = null, url, ms } = attempt;
      const answer = error ?? `answered ${status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (!isDelivered(attempt)) failed += 1;
      yield [{ id: event.id, name: eventOf(event).name ?? null, url, status, error, ms }];
    }
  } finally {
    const left = to.size - count;
    if (context.host.signal.reason === 'SIGPIPE' && left > 0)
      context.note(
        'not-replayed',
        `nothing reads the output any more, so ${counted(left, 'event')} ${left === 1 ? 'was' : 'were'} not replayed`,
      );
  }
  return { replayed: to.size, failed, answers: Object.fromEntries(answers) };
}

interface Replayed {
  readonly event: Received;
  readonly attempt: Attempt;
}

/** Sends the events in sequence, until the signal, which cuts off the request in flight. Records the results, if possible. */
async function* sent(
  { host, given, note }: Context,
  history: History | undefined,
  to: Destinations,
  prepare: (event: Received) => Received,
): AsyncGenerator<Replayed> {
  const { now, signal } = host;
  const [{ forwardRequest, resultOf }, { openTarget }, { recordForward }] = await Promise.all([
    import('../../webhooks/forward/forwarder.ts'),
    import('../../delivery/target.ts'),
    import('../../logs/forwards.ts'),
  ]);
  const targets = new Map<string, ReturnType<typeof openTarget>>();
  const closeAll = () => {
    for (const target of targets.values()) target.close();
  };
  let done = 0;
  signal.addEventListener('abort', closeAll);
  try {
    for await (const { event, url } of addressed(history, to)) {
      const target = targets.get(url.href) ?? openTarget(url, given.timeout ?? 30_000);
      targets.set(url.href, target);
      const start = now();
      const result = resultOf(await target.send(forwardRequest(prepare(event), url)));
      const attempt = { url: url.href, ms: now() - start, ...result };
      await history?.logs.write(recordForward(event.number, now(), attempt)).catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
        note('not-recorded', `the result is not recorded: ${error.message}`);
      });
      yield { event, attempt };
      done += 1;
      if (signal.aborted) throw interrupted(done, to.size);
    }
  } finally {
    signal.removeEventListener('abort', closeAll);
    closeAll();
  }
}

function interrupted(done: number, all: number): CliError {
  return new CliError('interrupted', 'interrupted', `interrupted after ${done} of ${all}`);
}

type PrepareInput = Input<typeof secretParams> & { readonly resign: boolean };

/** Returns the event to send: the original, or with --resign a re-signed copy if it is too old. */
async function preparation(context: Context, input: PrepareInput): Promise<(event: Received) => Received> {
  const { isStale, signAgain } = await import('../../webhooks/resign.ts');
  const secret = input.resign ? await requiredSecret(context, input) : undefined;
  let isNoted = false;
  return (event) => {
    const now = context.host.now();
    if (!isStale(event.headers, now)) return event;
    if (secret !== undefined) return signAgain(event, secret, now);
    if (!isNoted)
      context.note(
        'stale',
        'some events are older than 5 minutes, so receivers refuse them: --resign signs them again',
      );
    isNoted = true;
    return event;
  };
}

/** By event number. */
type Destinations = ReadonlyMap<number, URL>;

/** The events with these numbers and their destinations, oldest first. */
async function* addressed(history: History | undefined, to: Destinations) {
  const { withNumber } = await import('../../webhooks/history.ts');
  for (const [number, url] of [...to].sort(([one], [other]) => one - other)) {
    const past = history && (await withNumber(history, number));
    if (past) yield { event: past.event, url };
  }
}

async function destinations(context: Context, history: History | undefined, input: ReplayInput): Promise<Destinations> {
  const [{ forwardUrl }, { webhookId }] = await Promise.all([
    import('../../webhooks/forward/address.ts'),
    import('../../webhooks/event/event.ts'),
  ]);
  const different = new Set<string>();
  const { to } = input;
  const given = to === undefined ? undefined : forOption('--to', () => forwardUrl(to));
  const found = new Map<number, URL>();
  let unsent = 0;
  for await (const past of chosenEvents(context, history, input)) {
    const { event, forwards } = past;
    if (input.failed && forwards.length === 0) unsent += 1;
    if (input.failed && !hasFailed(past)) continue;
    const last = given ?? (forwards[0] && forwardUrl(forwards[0].url));
    if (!last) throw usage(`${event.id} was never forwarded, so it has no destination`, 'give one with --to');
    found.set(event.number, last);
    different.add(webhookId(event) ?? event.id);
  }
  if (unsent > 0)
    context.note(
      'never-forwarded',
      `events that were never forwarded, which --failed leaves out: ${unsent}; bizmsg webhooks history lists them`,
    );
  if (different.size < found.size)
    context.note('again', `${found.size} deliveries of ${different.size} different events`);
  return found;
}

/** With --failed, all that may have failed. */
async function* chosenEvents(
  context: Context,
  history: History | undefined,
  { ids, where, ...which }: ReplayInput,
): AsyncGenerator<Past> {
  const selects = isSelection(which) || where.length > 0;
  if (ids.length > 0 && selects) throw usage('ids cannot be combined with options that select events');
  const [{ findEvent, newestFirst }, { eventOf }, { selectedBy }] = await Promise.all([
    import('../../webhooks/history.ts'),
    import('../../webhooks/event/event.ts'),
    import('../../webhooks/event/filters.ts'),
  ]);
  for (const id of ids) yield findEvent(history, id);
  if (ids.length > 0) return;
  if (!selects) throw usage('specify which events to replay', 'give ids from webhooks history, or --since 10m');
  const now = context.host.now();
  const [isSelected, hasFields] = [selecting({ ...which, failed: false }, now), selectedBy(undefined, where)];
  const from = which.since?.(now) ?? -Infinity;
  for await (const past of newestFirst(history)) {
    if (past.event.received_at < from) return;
    const event = eventOf(past.event);
    if (hasFields(event) && isSelected(entryOf({ past, event }))) yield past;
  }
}
