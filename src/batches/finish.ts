import { profileOption } from '../base/shell-quote.ts';
import { news, release } from '../store/ending.ts';
import { ending } from '../store/tally.ts';
import type { Assignment, Desk } from './order.ts';
import { showProgress } from './status.ts';
import { stoppingText } from './stop.ts';
import { type Ended, endedOf } from './summary.ts';
import { work } from './work.ts';

/** Sends the rows of a batch that this process holds, and reports what became of them. */
export async function sendAndReport(desk: Desk, assignment: Assignment): Promise<Ended> {
  const { context, database, worker, sender, client, signals } = desk;
  const { batch, isOfFile, resend, first, toSend } = assignment;
  const { host, given } = context;
  const startedAt = host.now();
  const isMessage = batch.scope.kind === 'message';
  if (toSend > 0) client.noteHarmless(isMessage);
  const progress = await showProgress(desk, { name: batch.name, total: toSend });
  const worked = await work({
    database,
    batch,
    worker,
    isOfFile,
    resend,
    first,
    endpoint: isMessage ? 'sendTemplate' : 'createContact',
    client: sender,
    signals,
    host,
    isUnlisted: assignment.isUnlisted,
    startWith: batch.scope.mode === 'live' && isMessage ? 4 : 16,
    ...progress,
    onStopping: (inFlight) => context.note('stopping', stoppingText(inFlight)),
  }).finally(progress.end);
  const told = await news(database, batch, isOfFile);
  const counts = await ending(database, { id: batch.id, load: isOfFile ? batch.load : 0 });
  await release(database, batch.id, worker, host.now());
  const ends = { startedAt, endedAt: host.now(), options: profileOption(given.profile, given.mode) };
  return endedOf({ assignment, worked, news: told, ending: counts, ...ends });
}
