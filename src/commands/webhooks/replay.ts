import { CliError, configuration, forOption, usage } from '../../base/errors.ts';
import type { Database } from '../../base/transaction.ts';
import { type Context, streaming } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag, type Input, option, words } from '../../cli/params.ts';
import { isDelivered } from '../../contract/events.ts';
import { sign } from '../../contract/signature.ts';
import { headerOf, type Headers } from '../../delivery/headers.ts';
import { headerNames, tolerance } from '../../delivery/signature.ts';
import type { Received } from '../../logs/events.ts';
import { type Attempt, type Past, recordForward } from '../../logs/forwards.ts';
import { openTarget } from '../../delivery/target.ts';
import { eventOf, selectedBy, webhookId } from '../../webhooks/event/event.ts';
import { forwardRequest, forwardUrl, resultOf } from '../../webhooks/forward.ts';
import { findEvent, newestFirst, withNumber } from '../../webhooks/history.ts';
import { isSelection, selecting, sinceParam } from '../list.ts';
import { confirmOutside } from './listen.ts';
import { entryOf, eventSelection, openRecordedEvents, whereParam } from './recorded.ts';
import { secretHint, secretParams, secretsToTry } from './secrets.ts';
import { forwardOf } from './sender.ts';
import { remoteOf } from '../sandbox/control.ts';

const params = {
  ids: words('[ids...]', 'the ids of events from webhooks list, or their beginnings'),
  ...eventSelection,
  since: sinceParam,
  where: whereParam,
  to: option(
    '--to <address>',
    'the destination: 3000, localhost:3000/hook or a URL (default: the last one of each event)',
  ),
  resign: flag('--resign', 're-sign events that are too old to be accepted'),
  ...secretParams,
} as const;

type ReplayInput = Input<typeof params>;

export const replayEvents = streaming({
  name: 'replay',
  summary: 'Send received events again, oldest first',
  details: `Events are sent in sequence with their original bytes and headers. Without --to each goes to the address
    of its last forward. --failed also has the events that a killed listener had not forwarded. Exit 10: some were not
    answered with 2xx.`,
  params,
  examples: ['webhooks replay --since 10m --failed', 'webhooks replay e12 --to 3000'],
  accepts: ['profile', ...printOptions],
  changes: true,
  async *run(context, input) {
    const logs = await openRecordedEvents(context);
    try {
      return yield* replayed(context, logs, input);
    } finally {
      await logs?.close();
    }
  },
  line: ({ id, name, status, error, ms }, { color }) => {
    const isDone = isDelivered({ status: status ?? undefined, error: error ?? undefined });
    const paint = isDone ? color.green : color.red;
    return [id, name ?? 'no name', paint(error ?? String(status)), `${ms} ms`].join('  ');
  },
  view: ({ replayed, answers }) => {
    const counts = Object.entries(answers).map(([answer, count]) => `${count} x ${answer}`);
    return replayed === 0 ? 'Nothing to replay' : `Replayed ${replayed}: ${counts.join(', ')}`;
  },
  exit: ({ failed }) => (failed > 0 ? 'partial' : 'done'),
});

async function* replayed(context: Context, logs: Database | undefined, input: ReplayInput) {
  const { host, note } = context;
  const to = await destinations(context, logs, input);
  await confirmOutside(context, to.values(), 'Send events');
  const prepare = await preparation(context, input);
  const answers = new Map<string, number>();
  const forwards: ReturnType<typeof forwardOf> = [];
  let [count, failed] = [0, 0];
  try {
    for (const [number, url] of [...to].sort(([first], [second]) => first - second)) {
      const { event } = (logs && (await withNumber(logs, number))) ?? {};
      if (!event) continue;
      const attempt = await post(context, prepare(event), url);
      await logs?.write(recordForward(number, host.now(), attempt)).catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
        note('not-recorded', `the result is not recorded: ${error.message}`);
      });
      forwards.push(...forwardOf(webhookId(event), event.port, attempt));
      const { status = null, error = null, ms } = attempt;
      const answer = error ?? `answered ${status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      count += 1;
      if (!isDelivered(attempt)) failed += 1;
      yield [{ id: event.id, name: eventOf(event).name ?? null, url: url.href, status, error, ms }];
      if (host.signal.aborted)
        throw new CliError('interrupted', 'interrupted', `interrupted after ${count} of ${to.size}`);
    }
  } finally {
    await report(context, forwards);
  }
  return { replayed: to.size, failed, answers: Object.fromEntries(answers) };
}

/** A sandbox shows the last answer to each of its events. */
async function report(context: Context, forwards: ReturnType<typeof forwardOf>): Promise<void> {
  const sandboxes = await context.sandboxes();
  for (const running of forwards.length > 0 ? await sandboxes.all() : [])
    await (await remoteOf(running)).ask('reportForwards', { forwards });
}

/** Sends an event. The signal cuts it off. */
async function post({ host, given }: Context, event: Received, url: URL): Promise<Attempt> {
  const { now, signal } = host;
  const target = openTarget(url, given.timeout ?? 30_000);
  signal.addEventListener('abort', target.close);
  const start = now();
  const result = resultOf(await target.send(forwardRequest(event, url)));
  signal.removeEventListener('abort', target.close);
  target.close();
  return { url: url.href, ms: now() - start, ...result };
}

/** Returns the event to send: the original, or with --resign a re-signed copy if it is too old. */
async function preparation(context: Context, input: ReplayInput): Promise<(event: Received) => Received> {
  const [first] = input.resign ? await secretsToTry(context, input) : [];
  if (input.resign && !first) throw configuration('no-secret', 'no webhook secret is known', secretHint);
  let isNoted = false;
  return (event) => {
    const now = context.host.now();
    if (!isStale(event.headers, now)) return event;
    if (first) return signAgain(event, first.secret, now);
    const text = 'some events are older than 5 minutes, so receivers refuse them: --resign signs them again';
    if (!isNoted) context.note('stale', text);
    isNoted = true;
    return event;
  };
}

/** By event number. */
async function destinations(
  context: Context,
  logs: Database | undefined,
  input: ReplayInput,
): Promise<ReadonlyMap<number, URL>> {
  const { to } = input;
  const everywhere = to === undefined ? undefined : forOption('--to', () => forwardUrl(to));
  const destinations = new Map<number, URL>();
  for await (const { event, forwards } of chosenEvents(context, logs, input)) {
    const last = forwards[0]?.url ?? event.forward_to;
    const url = everywhere ?? (last === undefined ? undefined : forwardUrl(last));
    if (!url) throw usage(`${event.id} was never forwarded, so it has no destination`, 'give one with --to');
    destinations.set(event.number, url);
  }
  return destinations;
}

async function* chosenEvents(
  context: Context,
  logs: Database | undefined,
  { ids, where, type, since, failed }: ReplayInput,
): AsyncGenerator<Past> {
  const selects = isSelection({ type, since, failed }) || where.length > 0;
  if (ids.length > 0 && selects) throw usage('ids cannot be combined with options that select events');
  if (ids.length === 0 && !selects)
    throw usage('specify which events to replay', 'give ids from webhooks list, or --since 10m');
  for (const id of ids) yield findEvent(logs, id);
  if (ids.length > 0) return;
  const now = context.host.now();
  const [isSelected, hasFields] = [selecting({ type, since, failed }, now), selectedBy(undefined, where)];
  const from = since?.(now) ?? -Infinity;
  for await (const past of newestFirst(logs)) {
    if (past.event.received_at < from) return;
    const event = eventOf(past.event);
    if (hasFields(event) && isSelected(entryOf({ past, event }))) yield past;
  }
}

/** True if a receiver would refuse the event because of its age. */
function isStale(headers: Headers, nowMs: number): boolean {
  const names = headerNames(headers);
  const timestamp = Number(names && headerOf(headers, names.timestamp));
  return Math.abs(Math.floor(nowMs / 1000) - timestamp) > tolerance;
}

/** The event with a signature of now, with the same id and header names. */
function signAgain(event: Received, secret: string, nowMs: number): Received {
  const names = headerNames(event.headers);
  const id = names && headerOf(event.headers, names.id);
  if (!names || id === undefined) return event;
  const timestamp = Math.floor(nowMs / 1000);
  const signature = sign({ id, timestamp, body: event.body }, secret);
  const replaced = new Map([
    [names.timestamp, String(timestamp)],
    [names.signature, signature],
  ]);
  const kept = event.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...event, headers: [...kept, ...replaced] };
}
