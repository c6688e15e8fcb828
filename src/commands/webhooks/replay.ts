import { CliError } from '../../base/errors.ts';
import { fsError } from '../../base/files.ts';
import { type Context, streaming } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag, type Input, option, words } from '../../cli/params.ts';
import type { Replayed } from '../../webhooks/forward/replay.ts';
import type { EventLog } from '../../webhooks/log/log.ts';
import type { Received } from '../../webhooks/log/records.ts';
import { confirmOutside } from './confirm-outside.ts';
import { replayPlan, type ReplayPlan } from './replay-targets.ts';
import { requiredSecret, secretParams } from './secrets.ts';
import { replayParams, succeeded } from './selection.ts';

export const replayEvents = streaming({
  name: 'replay',
  summary: 'Send received events again, oldest first',
  details: [
    'Events are sent in sequence with their original bytes and headers. Without --to each goes to the address of',
    'its last forward; events that were never forwarded go to the address of all others.',
    'Exit 10: some were not answered with 2xx.',
  ].join('\n'),
  params: {
    ids: words('[ids...]', 'the ids of events from webhooks history, or their beginnings'),
    ...replayParams,
    file: option('--file <file>', 'an event file written by webhooks show --raw, or - for stdin'),
    to: option(
      '--to <address>',
      'the destination: 3000, localhost:3000/hook or a URL (default: the last one of each event)',
    ),
    resign: flag('--resign', 're-sign events that are too old to be accepted'),
    ...secretParams,
  },
  examples: ['webhooks replay --since 10m --failed', 'webhooks replay e1fq8zk3m00 --to 3000'],
  sample: 'e1fq8zk3m00  message.read  200  12 ms\nReplayed 1: answered 200: 1',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  async *run(context, input) {
    const plan = await replayPlan(context, { ...input, failed: input.failed && 'or never forwarded' });
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
      if (!succeeded(outcome)) failed += 1;
      yield [{ id: event.id, name: eventOf(event).name ?? null, url, status, error, ms }];
    }
    return { replayed: plan.to.size, failed, answers: Object.fromEntries(answers) };
  },
  line: ({ id, name, status, error, ms }, ui) => {
    const paint = succeeded({ status: status ?? undefined, error: error ?? undefined }) ? ui.color.green : ui.color.red;
    return [id, name ?? 'no name', paint(error ?? String(status)), `${ms} ms`].join('  ');
  },
  view: ({ replayed, answers }) => {
    const counts = Object.entries(answers).map(([answer, count]) => `${answer}: ${count}`);
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
  const {
    thisProcess: { now },
  } = await context.sandboxes();
  const { replay } = await import('../../webhooks/forward/replay.ts');
  const timeout = context.given.timeout ?? 30_000;
  const log = isReceived ? await openLog(context) : undefined;
  let done = 0;
  try {
    for await (const one of replay({ events, prepare, timeout, now, signal: context.signal })) {
      tryToRecord(context, () => log?.forwarded(one.outcome));
      yield one;
      done += 1;
    }
    if (context.signal.aborted) throw interrupted(done, to.size);
  } finally {
    await log?.close().catch((error: unknown) => tryToRecord(context, () => fail(error)));
  }
}

async function openLog(context: Context): Promise<EventLog | undefined> {
  const [{ openEventLog }, { stateFolder, thisProcess }] = await Promise.all([
    import('../../webhooks/log/log.ts'),
    context.sandboxes(),
  ]);
  return tryToRecord(context, () => openEventLog({ stateFolder, ...thisProcess }));
}

/** A failure to record is only noted: the events are sent anyway. */
function tryToRecord<T>(context: Context, record: () => T): T | undefined {
  try {
    return record();
  } catch (error) {
    const why = error instanceof CliError ? error.message : fsError(error)?.reason;
    if (why === undefined) throw error;
    context.note('not-recorded', `the results are not recorded: ${why}`);
    return undefined;
  }
}

function fail(error: unknown): never {
  throw error;
}

function interrupted(done: number, all: number): CliError {
  return new CliError('interrupted', 'interrupted', `interrupted after ${done} of ${all}`);
}

type PrepareInput = Input<typeof secretParams> & { readonly resign: boolean };

/** Returns the event to send: the original, or with --resign a re-signed copy if it is too old. */
async function preparation(context: Context, input: PrepareInput): Promise<(event: Received) => Received> {
  const [
    { isStale, signAgain },
    {
      thisProcess: { now: clock },
    },
  ] = await Promise.all([import('../../webhooks/sign/verify.ts'), context.sandboxes()]);
  const secret = input.resign ? await requiredSecret(context, input) : undefined;
  let isNoted = false;
  return (event) => {
    const now = clock();
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
