import { countsIn } from '../../batches/outcomes.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { rowsText, whole } from '../../cli/output/figures.ts';
import { remove } from '../../store/cancel.ts';
import { type Ending, ending } from '../../store/tally.ts';
import { batchToChange, freeDead, missing, nameParam, working } from './named.ts';
import { openBatches, type StoredBatch } from './stored.ts';

export const deleteBatch = command({
  name: 'delete',
  summary: 'Delete a batch with all its rows',
  details: [
    'Nothing changes at the service. bizmsg then does not know any more whom the batch reached, so another batch with',
    'the same template could send to them again. Asks for confirmation; a script needs --yes.',
  ].join('\n'),
  params: { name: nameParam },
  examples: ['batches delete autumn --yes'],
  sample: 'Deleted autumn: 2 rows',
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { name }) => {
    const stored = await openBatches(context);
    try {
      const meant = batchToChange(stored, name);
      await freeDead(meant, context.host);
      const { record, batch } = meant;
      const { totals, tallies } = await ending(record.database, { id: batch.id, load: 0 });
      const { rows } = countsIn(totals);
      await context.confirm(question(meant, rows, { totals, tallies }));
      const removed = await remove(record.database, batch.id, context.host.now());
      if (removed.kind === 'working') throw working(batch);
      if (removed.kind === 'none') throw missing(`batch ${batch.name} was deleted meanwhile`);
      return { batch: batch.name, id: batch.id, rows };
    } finally {
      await stored.close();
    }
  },
  view: ({ batch, rows }, ui) => `${ui.color.green('Deleted')} ${batch}: ${rowsText(rows)}`,
});

/** Says who could get the same again. */
function question(
  { batch, profile }: StoredBatch,
  rows: number,
  { totals, tallies }: Pick<Ending, 'totals' | 'tallies'>,
): string {
  const { template, kind, account, mode } = batch.scope;
  const elsewhere = tallies.filter(({ state, by }) => state === 'sent' && by !== undefined);
  const sent = (totals.get('sent') ?? 0) - elsewhere.reduce((sum, { count }) => sum + count, 0);
  const unsure = (totals.get('unsure') ?? 0) + (totals.get('under way') ?? 0);
  const whom = [
    ...(sent > 0 ? [`the ${whole(sent)} it reached`] : []),
    ...(unsure > 0 ? [`${whole(unsure)} unsure`] : []),
  ];
  const what = kind === 'import' ? 'be imported' : `get ${template}`;
  const warning = whom.length === 0 ? '' : ` Then ${whom.join(' and ')} could ${what} again.`;
  return `Delete batch ${batch.name} (${mode} ${profile ?? account}) with ${rowsText(rows)}?${warning}`;
}
