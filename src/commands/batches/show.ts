import { workerText } from '../../base/worker.ts';
import { stateOf } from '../../batches/outcomes.ts';
import { batchText, type Delivered, shownBatch } from '../../batches/show.ts';
import { commandOf } from '../../batches/summary.ts';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { ending, messageIds } from '../../store/tally.ts';
import { recordedOutcomes } from '../message-outcomes.ts';
import { batchToRead, optionalName, senders, type StoredBatch, typedName, withBatches } from './stored.ts';

export const showBatch = command({
  name: 'show',
  summary: 'Show what became of a batch, and the next command',
  details: 'Without a name, the latest.',
  params: { name: optionalName },
  examples: ['batches show', 'batches show autumn -o json'],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  run: (context, { name }) =>
    withBatches(context, async (batches) => {
      const stored = batchToRead(batches, name);
      const hints = { typedName: typedName(stored, context), command: commandOf(stored.batch) };
      return { shown: await shownOf(context, stored), hints };
    }),
  data: ({ shown }) => shown,
  view: ({ shown, hints }, ui) => batchText(shown, hints, ui),
});

async function shownOf(context: Context, stored: StoredBatch) {
  const { batch, record, profile } = stored;
  const { id, scope } = batch;
  const totals = await ending(record.database, { id, load: 0 });
  const state = stateOf(batch, totals.totals.get('waiting') ?? 0, context.host);
  const isImport = scope.kind === 'import';
  const { templates } = senders(context)(scope, record.isLocal);
  return shownBatch({
    batch,
    state,
    profile,
    worker: state === 'working' ? workerText(batch.worker) : undefined,
    text: templates.find(({ name }) => name === scope.template)?.text,
    ending: totals,
    delivery: isImport ? undefined : await deliveredOf(context, stored),
  });
}

/** Counts what was delivered; undefined if nothing is known. */
async function deliveredOf(context: Context, { batch, record }: StoredBatch): Promise<Delivered | undefined> {
  const { outcomes, until } = await recordedOutcomes(context, record.isLocal);
  if (outcomes.size === 0) return undefined;
  const counts = { delivered: 0, read: 0, failed: 0 };
  for await (const page of messageIds(record.database, batch.id))
    for (const id of page) {
      const outcome = outcomes.get(id)?.delivery;
      if (outcome) counts[outcome] += 1;
    }
  const { delivered, read, failed } = counts;
  if (delivered + read + failed === 0) return undefined;
  // A read message is delivered.
  const at = until === undefined ? null : new Date(until).toISOString();
  return { delivered: delivered + read, read, failed, until: at };
}
