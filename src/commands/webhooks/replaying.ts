import type { Context } from '../../cli/command.ts';
import { CliError } from '../../base/errors.ts';
import { fileFault } from '../../base/files.ts';
import type { EventJournal } from '../../webhooks/log/log.ts';
import type { Received } from '../../webhooks/log/records.ts';
import type { Replayed } from '../../webhooks/forward/replay.ts';
import type { Mailing } from './destinations.ts';

/** What is sent is journaled, too, where that is possible. */
export async function* replayed(
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

async function ownJournal(context: Context): Promise<EventJournal | undefined> {
  const [{ openEventJournal }, { stateFolder, process }] = await Promise.all([
    import('../../webhooks/log/log.ts'),
    context.sandboxes(),
  ]);
  return recorded(context, () => openEventJournal({ stateFolder, ...process }));
}

/** That it cannot be recorded keeps nothing from being sent. */
function recorded<T>(context: Context, record: () => T): T | undefined {
  try {
    return record();
  } catch (error) {
    const why = error instanceof CliError ? error.message : fileFault(error)?.reason;
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
