import { usage } from '../../base/errors.ts';
import { outcomes } from '../../batches/outcomes.ts';
import { cellColumns, columnsIn, reportColumns, reportPages, reportRecord } from '../../batches/report.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { choice, chosen } from '../../cli/params.ts';
import { recordedOutcomes } from '../message-outcomes.ts';
import { batchToRead, optionalName, withBatches } from './stored.ts';

export const reportBatch = command({
  name: 'report',
  summary: 'List every row of a batch with its columns and its outcome',
  details: `Without a name, the latest; CSV if it goes to a file. The columns of the file come first, and are empty 30
    days after the outcome of a row. Correct the failed rows in a report, and send it with --batch: they replace those
    that failed. send-batch --exclude-from leaves out whom a report reached. bizmsg_delivery is from the events that
    webhooks listen received on this machine.`,
  params: {
    name: optionalName,
    outcome: {
      ...choice('--outcome <outcome>', 'only rows with this outcome', outcomes),
      repeats: true,
      read: (texts: readonly string[]) => texts.map((text) => chosen(text, outcomes)),
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
