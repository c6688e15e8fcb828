import { usage } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { countsIn, stateOf } from '../../batches/outcomes.ts';
import { command, type Context, lazyCommand } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { rowsText, whole } from '../../cli/output/figures.ts';
import { flag, option } from '../../cli/params.ts';
import { countryParam, typedPhone } from '../../cli/phones.ts';
import { cancel, remove } from '../../store/cancel.ts';
import { ending, totalsOfAll, type Totals } from '../../store/tally.ts';
import { markRows } from './mark.ts';
import { batchToChange, nameParam, type StoredBatch, unchanged, withBatches } from './stored.ts';
import { reportBatch } from './report.ts';
import { showBatch } from './show.ts';

const listBatches = command({
  name: 'list',
  summary: 'List the batches and imports of all profiles, the latest last',
  params: {},
  examples: ['batches list', 'batches list -o json'],
  accepts: ['profile', ...printOptions],
  piped: 'rows',
  first: ['name', 'template', 'profile', 'last', 'sent', 'waiting', 'failed', 'unsure'],
  run: (context) =>
    withBatches(context, async ({ batches, records }) => {
      const totals = new Map<string, Totals>();
      for (const { database } of records)
        for (const [id, counts] of await totalsOfAll(database)) totals.set(id, counts);
      const wanted = batches.filter(({ isCurrent }) => context.given.profile === undefined || isCurrent);
      return wanted.map((stored) => rowOf(stored, totals.get(stored.batch.id), context.host));
    }),
  view: () => 'No batches yet: bizmsg send-batch and contacts import make one',
});

function rowOf({ batch, profile }: StoredBatch, totals: Totals | undefined, host: Pick<Host, 'now' | 'kill'>) {
  const { account, mode, kind, template } = batch.scope;
  const { sent, waiting, failed, unsure, not_sent, rows } = countsIn(totals);
  return {
    name: batch.name,
    template: kind === 'import' ? null : template,
    profile: profile ?? null,
    last: new Date(batch.lastAt).toISOString(),
    sent,
    waiting,
    failed,
    unsure,
    not_sent,
    rows,
    state: stateOf(batch, waiting, host),
    id: batch.id,
    mode,
    account,
    kind,
    file: batch.file === '' ? null : batch.file,
    created: new Date(batch.madeAt).toISOString(),
  };
}

const cancelBatch = command({
  name: 'cancel',
  summary: 'Stop a batch, and drop its rows that wait',
  details: `Sent rows stay on record. A process that sends the batch stops at its next row. A cancelled batch is not
    continued, unless only some of its rows were dropped.`,
  params: {
    name: nameParam,
    missing: flag('--missing', 'only rows that are not in its latest file'),
    person: option('--person <phone>', 'only this person'),
    country: countryParam,
  },
  examples: ['batches cancel autumn', 'batches cancel autumn --missing', 'batches cancel autumn --person +12025550101'],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  changes: true,
  run: async (context, { name, missing, person, country }) => {
    if (missing && person !== undefined)
      throw usage('give either --missing or --person', 'bizmsg batches cancel NAME drops all that waits');
    const phone = person === undefined ? undefined : await typedPhone(context, person, '--person', country);
    const what = phone === undefined ? (missing ? 'missing' : 'all') : { phone };
    return withBatches(context, async (stored) => {
      const { record, batch } = await batchToChange(context, stored, name);
      const cancelled = await cancel(record.database, batch, what, context.host.now());
      if (cancelled.kind !== 'done') throw unchanged(batch, cancelled.kind, 'loads');
      return { batch: batch.name, id: batch.id, cancelled: cancelled.count, is_whole: what === 'all' };
    });
  },
  view: ({ batch, cancelled, is_whole: isWhole }, { color }) =>
    `${isWhole ? `${color.green('Cancelled')} ${batch}` : `${color.green('Dropped')} from ${batch}`}: ` +
    `${rowsText(cancelled)} ${cancelled === 1 ? 'is' : 'are'} not sent`,
});

const deleteBatch = command({
  name: 'delete',
  summary: 'Delete a batch with all its rows',
  details: `Nothing changes at the service. bizmsg then does not know any more whom the batch reached, so another
    batch with the same template could send to them again. Asks for confirmation; a script needs --yes.`,
  params: { name: nameParam },
  examples: ['batches delete autumn --yes'],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  changes: true,
  run: (context, { name }) =>
    withBatches(context, async (batches) => {
      const stored = await batchToChange(context, batches, name);
      const { record, batch } = stored;
      const rows = await confirmDelete(context, stored);
      const { kind } = await remove(record.database, batch.id, context.host.now());
      if (kind !== 'done') throw unchanged(batch, kind);
      return { batch: batch.name, id: batch.id, rows };
    }),
  view: ({ batch, rows }, ui) => `${ui.color.green('Deleted')} ${batch}: ${rowsText(rows)}`,
});

/** Says who could get the same again. */
async function confirmDelete(context: Context, { batch, profile, record }: StoredBatch): Promise<number> {
  const { name, id, scope } = batch;
  const { totals, tallies } = await ending(record.database, { id, load: 0 });
  const { rows, sent, unsure } = countsIn(totals);
  const others = tallies.filter(({ state, by }) => state === 'sent' && by !== undefined);
  const reached = sent - others.reduce((sum, { count }) => sum + count, 0);
  const whom = [reached > 0 && `the ${whole(reached)} it reached`, unsure > 0 && `${whole(unsure)} unsure`];
  const again = scope.kind === 'import' ? 'be imported' : `get ${scope.template}`;
  const warning = reached + unsure > 0 ? ` Then ${whom.filter(Boolean).join(' and ')} could ${again} again.` : '';
  await context.confirm(
    `Delete batch ${name} (${scope.mode} ${profile ?? scope.account}) with ${rowsText(rows)}?${warning}`,
  );
  return rows;
}

export const batchesCommands = [
  listBatches,
  showBatch,
  reportBatch,
  lazyCommand(
    'resume',
    'Send what waits in a batch, without its file',
    async () => (await import('../send-file.ts')).resumeBatch,
  ),
  markRows,
  cancelBatch,
  deleteBatch,
];
