import { usage } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { countsIn, outcomes, stateOf } from '../../batches/outcomes.ts';
import { cellColumns, columnsIn, reportColumns, reportPages, reportRecord } from '../../batches/report.ts';
import { batchFields, batchText, type Delivered, shownBatch } from '../../batches/show.ts';
import { commandOf } from '../../batches/summary.ts';
import { command, type Context, lazyCommand } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { chosen, repeated } from '../../cli/params.ts';
import { ending, messageIds, type Totals, totalsOfAll } from '../../store/tally.ts';
import { recordedOutcomes } from '../message-outcomes.ts';
import { cancelBatch, deleteBatch, markRows } from './change.ts';
import { batchToRead, optionalName, senders, type StoredBatch, typedName, withBatches } from './stored.ts';

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
  const { rows, sent, waiting, failed, unsure, not_sent } = countsIn(totals);
  const fields = batchFields(batch, profile, stateOf(batch, waiting, host));
  const { name, template, profile: whose, last, ...others } = fields;
  return { name, template, profile: whose, last, sent, waiting, failed, unsure, not_sent, rows, ...others };
}

const showBatch = command({
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

const reportBatch = command({
  name: 'report',
  summary: 'List every row of a batch with its columns and its outcome',
  details: `Without a name, the latest; CSV if it goes to a file. The columns of the file come first, and are empty 30
    days after a row was sent. Correct the failed rows in a report, and send it with --batch: they replace those
    that failed. send-batch --exclude-from leaves out whom a report reached. bizmsg_delivery is from the events that
    webhooks listen received on this machine.`,
  params: {
    name: optionalName,
    outcome: {
      ...repeated('--outcome <outcome>', 'only rows with this outcome', (text) => chosen(text, outcomes)),
      choices: outcomes,
    },
  },
  examples: [
    'batches report',
    'batches report autumn --outcome failed --outcome unsure',
    'batches report autumn -o csv',
  ],
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  piped: 'sheet',
  lists: true,
  run: (context, { name, outcome }, emit) =>
    withBatches(context, async (stored) => {
      const { host, given, listForm } = context;
      const { batch, record } = batchToRead(stored, name);
      const rows = { database: record.database, batch, outcomes: outcome, now: host.now() };
      const columns = await cellColumns(rows);
      checkColumns(given.columns, [...columns, ...Object.values(reportColumns)]);
      listForm.separator = columnsIn(batch).separator ?? ',';
      listForm.first = [...columns.slice(0, 1), reportColumns.outcome, reportColumns.reason, reportColumns.delivery];
      const isImport = batch.scope.kind === 'import';
      const deliveries = isImport ? new Map() : (await recordedOutcomes(context, record.isLocal)).outcomes;
      let count = 0;
      for await (const page of reportPages(rows)) {
        const records =
          given.output === 'id'
            ? page.flatMap(({ messageId: id }) => (id === undefined ? [] : { id }))
            : page.map((row) => reportRecord(row, batch, columns, deliveries));
        count += records.length;
        await emit(records.map((data) => ({ data, text: () => '' })));
      }
      if (count === 0) context.note('empty', 'there are no such rows');
      return { count };
    }),
  view: () => '',
});

function checkColumns(wanted: readonly string[] | undefined, columns: readonly string[]): void {
  const missing = wanted?.find((name) => !columns.includes(name) && !columns.includes(name.split('.')[0] ?? ''));
  if (missing !== undefined)
    throw usage(`--columns: there is no column "${missing}"`, `these have ${columns.join(', ')}`);
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
