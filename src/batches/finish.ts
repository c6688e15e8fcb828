import { CliError } from '../base/errors.ts';
import { profileOption, shellQuote } from '../base/shell-quote.ts';
import type { Batch } from '../store/batch.ts';
import { ending, markReported, type News } from '../store/tally.ts';
import { release } from '../store/work.ts';
import type { Desk } from './desk.ts';
import { showProgress } from './status.ts';
import { stoppedBy, stoppingText } from './stop.ts';
import { type Assignment, type Ended, endedOf } from './summary.ts';
import { work } from './work.ts';

/** Sends the rows of a batch that this process holds, and reports what became of them. */
export async function sendAndReport(desk: Desk, assignment: Assignment): Promise<Ended> {
  const { context, database, worker, sender, client, signals } = desk;
  const { command, batch, resend, first, expected, isUnlisted } = assignment;
  const isOfFile = command !== 'batches resume';
  const { host, given } = context;
  const startedAt = host.now();
  const isMessage = batch.scope.kind === 'message';
  if (expected.toSend > 0) client.noteHarmless(isMessage);
  const progress = await showProgress(desk, { name: batch.name, total: expected.toSend });
  const worked = await work({
    database,
    batch,
    worker,
    isOfFile,
    resend,
    first,
    isUnlisted,
    client: sender,
    signals,
    host,
    startWith: batch.scope.mode === 'live' && isMessage ? 4 : 16,
    ...progress,
    onStopping: (inFlight) => context.note('stopping', stoppingText(inFlight)),
  }).finally(progress.end);
  // Another command may have loaded a file since.
  const isTaken = worked.stopped?.code === 'batch-taken';
  const counts = await ending(database, { id: batch.id, load: isOfFile && !isTaken ? batch.load : 0 });
  const { news } = counts;
  const fault = isTaken ? undefined : await endWork(desk, batch, isOfFile, news);
  // Ctrl-C came when the last rows were under way. Others of --resend do not wait.
  const isAll = news.waiting === 0 && resend.every((rows) => rows === 'failed');
  const isLate = worked.stopped?.code === 'interrupted' && isAll && !signals.leave.aborted;
  const stopped = isLate ? fault : (worked.stopped ?? fault);
  const typedName = `${shellQuote(batch.name)}${profileOption(given.profile, given.mode)}`;
  const ends = { ending: counts, startedAt, endedAt: host.now(), typedName };
  return endedOf({ assignment, worked: { ...worked, stopped }, ...ends });
}

/** Lets go of the batch. A record that cannot be written now must not hide what was sent. */
async function endWork(
  { database, worker, context }: Desk,
  batch: Batch,
  isOfFile: boolean,
  { failed, elsewhere }: News,
): Promise<CliError | undefined> {
  try {
    if (failed + elsewhere > 0) await markReported(database, batch, isOfFile);
    await release(database, batch.id, worker, context.host.now());
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return stoppedBy(error);
    throw error;
  }
}
