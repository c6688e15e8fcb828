import { warnOncePerFile } from '../../base/journal-lines.ts';
import { CliError, forOption, usage } from '../../base/errors.ts';
import { fsError } from '../../base/files.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import { type Context, streaming } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag, type Input, option, words } from '../../cli/params.ts';
import { isDelivered } from '../../contract/events.ts';
import type { Addressed, Replayed } from '../../webhooks/forward/replay.ts';
import type { Past } from '../../webhooks/log/history.ts';
import type { EventLog } from '../../webhooks/log/log.ts';
import type { Received } from '../../webhooks/log/records.ts';
import { confirmOutside } from './confirm-outside.ts';
import { deliveryIn, requireSendable } from './delivery-file.ts';
import { requiredSecret, secretParams } from './secrets.ts';
import { isSelection, type Selection } from '../list.ts';
import { recordedEvents } from './event-source.ts';
import { eventSelectionParams, hasFailed, select } from './selection.ts';

export const replayEvents = streaming({
  name: 'replay',
  summary: 'Send received events again, oldest first',
  details: [
    'Events are sent in sequence with their original bytes and headers. Without --to each goes to the address of',
    'its last forward. Exit 10: some were not answered with 2xx.',
  ].join('\n'),
  params: {
    ids: words('[ids...]', 'the ids of events from webhooks history, or their beginnings'),
    ...eventSelectionParams,
    file: option('--file <file>', 'an event file written by webhooks show --raw, or - for stdin'),
    to: option(
      '--to <address>',
      'the destination: 3000, localhost:3000/hook or a URL (default: the last one of each event)',
    ),
    resign: flag('--resign', 're-sign events that are too old to be accepted'),
    ...secretParams,
  },
  examples: ['webhooks replay --since 10m --failed', 'webhooks replay e1fq8zk3m00 --to 3000'],
  sample: 'e1fq8zk3m00  message.read  200  12 ms\nReplayed 1: 1 x answered 200',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  async *run(context, input) {
    const plan = await replayPlan(context, input);
    await confirmOutside(context, plan.to.values(), (count) =>
      count === 1 ? 'Send an event' : `Send ${count} events`,
    );
    const prepare = await preparation(context, input);
    const { eventOf } = await import('../../webhooks/event/event.ts');
    const answers = new Map<string, number>();
    let failed = 0;
    for await (const { event, outcome } of replayAndRecord(context, plan, prepare)) {
      const { status = null, error = null, url, ms } = outcome;
      const answer = error ?? `answered ${status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (!isDelivered(outcome)) failed += 1;
      yield [{ id: event.id, name: eventOf(event).name ?? null, url, status, error, ms }];
    }
    return { replayed: plan.to.size, failed, answers: Object.fromEntries(answers) };
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

/** Replays events and records the results in the log, if possible. */
async function* replayAndRecord(
  context: Context,
  { to, events, isReceived }: ReplayPlan,
  prepare: (event: Received) => Received,
): AsyncGenerator<Replayed> {
  if (to.size === 0) return;
  const { now, signal } = context.host;
  const { replay } = await import('../../webhooks/forward/replay.ts');
  const timeout = context.given.timeout ?? 30_000;
  const log = isReceived ? await openLog(context) : undefined;
  let done = 0;
  try {
    for await (const one of replay({ events, prepare, timeout, now, signal })) {
      tryToRecord(context, () => log?.forwarded(one.outcome));
      yield one;
      done += 1;
    }
    if (signal.aborted) throw interrupted(done, to.size);
  } finally {
    await log?.close().catch((error: unknown) => noteUnrecorded(context, error));
  }
}

async function openLog(context: Context): Promise<EventLog | undefined> {
  const { openEventLog } = await import('../../webhooks/log/log.ts');
  const stateFolder = context.stateFolder();
  const { pid, kill, now, later } = context.host;
  return tryToRecord(context, () => openEventLog({ stateFolder, pid, kill, now, later }));
}

/** A failure to record is only noted: the events are sent anyway. */
function tryToRecord<T>(context: Context, record: () => T): T | undefined {
  try {
    return record();
  } catch (error) {
    noteUnrecorded(context, error);
    return undefined;
  }
}

function noteUnrecorded(context: Context, error: unknown): void {
  const why = error instanceof CliError ? error.message : fsError(error)?.reason;
  if (why === undefined) throw error;
  context.note('not-recorded', `the results are not recorded: ${why}`);
}

function interrupted(done: number, all: number): CliError {
  return new CliError('interrupted', 'interrupted', `interrupted after ${done} of ${all}`);
}

type PrepareInput = Input<typeof secretParams> & { readonly resign: boolean };

/** Returns the event to send: the original, or with --resign a re-signed copy if it is too old. */
async function preparation(context: Context, input: PrepareInput): Promise<(event: Received) => Received> {
  const { isStale, signAgain } = await import('../../webhooks/sign/verify.ts');
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

interface ReplayInput extends Selection {
  readonly ids: readonly string[];
  readonly file: string | undefined;
  readonly to: string | undefined;
}

interface ReplayPlan {
  /** Destinations by event id. */
  readonly to: ReadonlyMap<string, URL>;
  readonly events: Iterable<Addressed>;
  /** True if the events are in the log, which then also records this replay. */
  readonly isReceived: boolean;
}

/** The events to replay and their destinations. */
async function replayPlan(context: Context, { file, ...input }: ReplayInput): Promise<ReplayPlan> {
  if (file !== undefined) return planForFile(context, file, input);
  const { addressed } = await import('../../webhooks/forward/replay.ts');
  const onDamage = warnOncePerFile(context, 'journal-damaged');
  const to = await destinations(context, input, onDamage);
  return { to, events: addressed(context.stateFolder(), to, onDamage), isReceived: true };
}

async function destinations(
  context: Context,
  input: Omit<ReplayInput, 'file'>,
  onDamage: OnDamage,
): Promise<ReadonlyMap<string, URL>> {
  const [{ forwardUrl }, { webhookId }] = await Promise.all([
    import('../../webhooks/forward/routes.ts'),
    import('../../webhooks/event/event.ts'),
  ]);
  const different = new Set<string>();
  const { to } = input;
  const given = to === undefined ? undefined : forOption('--to', () => forwardUrl(to));
  const found = new Map<string, URL>();
  let unsent = 0;
  for await (const past of chosenEvents(context, input, onDamage)) {
    const { event, forwards } = past;
    if (input.failed && forwards.length === 0) unsent += 1;
    if (input.failed && !hasFailed(past)) continue;
    const last = given ?? (forwards[0] && forwardUrl(forwards[0].url));
    if (!last) throw usage(`${event.id} was never forwarded, so it has no destination`, 'give one with --to');
    found.set(event.id, last);
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

async function planForFile(
  context: Context,
  file: string,
  { ids, to, ...which }: Omit<ReplayInput, 'file'>,
): Promise<ReplayPlan> {
  if (ids.length > 0 || isSelection(which))
    throw usage('--file cannot be combined with ids, or with options that select events');
  if (to === undefined) throw usage('the file has no destination', 'give one with --to');
  const [{ receivedOf }, { forwardUrl }] = await Promise.all([
    import('../../webhooks/log/records.ts'),
    import('../../webhooks/forward/routes.ts'),
  ]);
  const delivery = await deliveryIn(context, file);
  requireSendable(delivery);
  const { name: id, raw } = delivery;
  const event = receivedOf({ ...raw, remote: '', port: 0 }, id, context.host.now());
  const url = forOption('--to', () => forwardUrl(to));
  return { to: new Map([[id, url]]), events: [{ event, url }], isReceived: false };
}

/** With --failed, all that may have failed. */
async function* chosenEvents(
  context: Context,
  { ids, ...which }: Omit<ReplayInput, 'to' | 'file'>,
  onDamage: OnDamage,
): AsyncGenerator<Past> {
  if (ids.length > 0 && isSelection(which)) throw usage('ids cannot be combined with options that select events');
  if (ids.length > 0) {
    const { findEvent } = await import('../../webhooks/log/history.ts');
    for (const id of ids) yield findEvent(context.stateFolder(), id, onDamage);
    return;
  }
  if (!isSelection(which))
    throw usage('specify which events to replay', 'give ids from webhooks history, or --since 10m');
  const source = await recordedEvents(context);
  for await (const { past } of select(source, { ...which, failed: false }, context.host.now())) yield past;
}
