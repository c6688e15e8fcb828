import { CliError } from '../../base/errors.ts';
import { fsError } from '../../base/files.ts';
import { type Context, streaming } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { flag, type Input, option, words } from '../../cli/params.ts';
import type { Replayed } from '../../webhooks/forward/replay.ts';
import type { EventLog } from '../../webhooks/log/log.ts';
import type { Received } from '../../webhooks/log/records.ts';
import { requireMeant } from './confirm-outside.ts';
import { mailing, type Mailing } from './replay-targets.ts';
import { requiredSecret, secretParams } from './secrets.ts';
import { replayParams, wentWell } from './selection.ts';

export const replayEvents = streaming({
  name: 'replay',
  summary: 'Send events again that were received, the oldest first',
  details: [
    'They go as they came, byte for byte and with their headers, one after the other. Without --to each goes',
    'where it was forwarded the last time, and what never was goes where all the others went.',
    'Exit 10: some were not answered 2xx.',
  ].join('\n'),
  params: {
    ids: words('[ids...]', 'the ids of events, from webhooks history, or how they begin'),
    ...replayParams,
    file: option('--file <file>', 'an event as webhooks show --raw writes it, or - for stdin'),
    to: option('--to <address>', 'where to: 3000, localhost:3000/hook or a URL (where each went the last time)'),
    resign: flag('--resign', 'sign anew those that are too old to be accepted'),
    ...secretParams,
  },
  examples: ['webhooks replay --since 10m --failed', 'webhooks replay e1fq8zk3m00 --to 3000'],
  sample: 'e1fq8zk3m00  message.read  200  12 ms\nReplayed 1: answered 200: 1',
  accepts: ['profile', ...printOptions],
  changes: true,
  piped: 'text',
  async *run(context, input) {
    const mail = await mailing(context, { ...input, failed: input.failed && 'or never forwarded' });
    await requireMeant(context, mail.to.values(), (count) => (count === 1 ? 'Send an event' : `Send ${count} events`));
    const prepare = await preparation(context, input);
    const { eventOf } = await import('../../webhooks/event/event.ts');
    const answers = new Map<string, number>();
    let failed = 0;
    for await (const { event, outcome } of replayed(context, mail, prepare)) {
      const { status = null, error = null, url, ms } = outcome;
      const answer = error ?? `answered ${status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (!wentWell(outcome)) failed += 1;
      yield [{ id: event.id, name: eventOf(event).name ?? null, url, status, error, ms }];
    }
    return { replayed: mail.to.size, failed, answers: Object.fromEntries(answers) };
  },
  line: ({ id, name, status, error, ms }, ui) => {
    const paint = wentWell({ status: status ?? undefined, error: error ?? undefined }) ? ui.color.green : ui.color.red;
    return [id, name ?? 'no name', paint(error ?? String(status)), `${ms} ms`].join('  ');
  },
  view: ({ replayed, answers }) => {
    const told = Object.entries(answers).map(([answer, count]) => `${answer}: ${count}`);
    return replayed === 0 ? 'Nothing to replay' : `Replayed ${replayed}: ${told.join(', ')}`;
  },
  exit: ({ failed }) => (failed > 0 ? 'partial' : 'done'),
});

/** What is sent is journaled, too, where that is possible. */
async function* replayed(
  context: Context,
  { to, events, isReceived }: Mailing,
  prepare: (event: Received) => Received,
): AsyncGenerator<Replayed> {
  if (to.size === 0) return;
  const {
    process: { now },
  } = await context.sandboxes();
  const { replay } = await import('../../webhooks/forward/replay.ts');
  const patience = context.given.timeout ?? 30_000;
  const journal = isReceived ? await ownJournal(context) : undefined;
  let done = 0;
  try {
    for await (const one of replay({ events, prepare, patience, now, signal: context.signal })) {
      recorded(context, () => journal?.forwarded(one.outcome));
      yield one;
      done += 1;
    }
    if (context.signal.aborted) throw interrupted(done, to.size);
  } finally {
    await journal?.close().catch((error: unknown) => recorded(context, () => fail(error)));
  }
}

async function ownJournal(context: Context): Promise<EventLog | undefined> {
  const [{ openEventLog }, { stateFolder, process }] = await Promise.all([
    import('../../webhooks/log/log.ts'),
    context.sandboxes(),
  ]);
  return recorded(context, () => openEventLog({ stateFolder, ...process }));
}

/** That it cannot be recorded keeps nothing from being sent. */
function recorded<T>(context: Context, record: () => T): T | undefined {
  try {
    return record();
  } catch (error) {
    const why = error instanceof CliError ? error.message : fsError(error)?.reason;
    if (why === undefined) throw error;
    context.note('not-recorded', `what comes of it is not recorded: ${why}`);
    return undefined;
  }
}

function fail(error: unknown): never {
  throw error;
}

function interrupted(done: number, all: number): CliError {
  return new CliError('interrupted', 'interrupted', `interrupted after ${done} of ${all}`);
}

type Asked = Input<typeof secretParams> & { readonly resign: boolean };

/** What is sent of an event: itself, or with --resign a copy that is not too old. */
async function preparation(context: Context, asked: Asked): Promise<(event: Received) => Received> {
  const [
    { isStale, signAgain },
    {
      process: { now: clock },
    },
  ] = await Promise.all([import('../../webhooks/sign/verify.ts'), context.sandboxes()]);
  const secret = asked.resign ? await requiredSecret(context, asked) : undefined;
  let isSaid = false;
  return (event) => {
    const now = clock();
    if (!isStale(event.headers, now)) return event;
    if (secret !== undefined) return signAgain(event, secret, now);
    if (!isSaid)
      context.note('stale', 'some are older than 5 minutes, which receivers refuse: --resign signs them anew');
    isSaid = true;
    return event;
  };
}
