import { type CliError, usage } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { rowsText } from '../../cli/output/figures.ts';
import { flag, option } from '../../cli/params.ts';
import type { Batch } from '../../store/batch.ts';
import { cancel } from '../../store/cancel.ts';
import { countryParam, typedPhone } from '../../cli/phones.ts';
import { batchToChange, freeDead, missing, nameParam, working } from './named.ts';
import { openBatches } from './stored.ts';

export const cancelBatch = command({
  name: 'cancel',
  summary: 'Stop a batch, and drop its rows that wait',
  details: [
    'Sent rows stay on record. A process that sends the batch stops at its next row. A cancelled batch is not',
    'continued, unless only some of its rows were dropped.',
  ].join('\n'),
  params: {
    name: nameParam,
    missing: flag('--missing', 'only rows that are not in its latest file'),
    person: option('--person <phone>', 'only this person'),
    country: countryParam,
  },
  examples: ['batches cancel autumn', 'batches cancel autumn --missing', 'batches cancel autumn --person +12025550101'],
  sample: 'Cancelled autumn: 1 row is not sent',
  accepts: ['profile', 'mode', 'baseUrl', ...printOptions],
  changes: true,
  piped: 'text',
  run: async (context, { name, missing: isMissing, person, country }) => {
    if (isMissing && person !== undefined) throw usage('give either --missing or --person');
    const phone = person === undefined ? undefined : await typedPhone(context, person, '--person', country);
    const stored = await openBatches(context);
    try {
      const meant = batchToChange(stored, name);
      await freeDead(meant, context.host);
      const what = phone === undefined ? (isMissing ? 'missing' : 'all') : { phone };
      const { record, batch } = meant;
      const cancelled = await cancel(record.database, batch, what, context.host.now());
      if (cancelled.kind !== 'done') throw refused(batch, cancelled.kind);
      return { batch: batch.name, id: batch.id, cancelled: cancelled.count, is_whole: what === 'all' };
    } finally {
      await stored.close();
    }
  },
  view: ({ batch, cancelled, is_whole: isWhole }, ui) => {
    const rows = `${rowsText(cancelled)} ${cancelled === 1 ? 'is' : 'are'} not sent`;
    return isWhole
      ? `${ui.color.green('Cancelled')} ${batch}: ${rows}`
      : `${ui.color.green('Dropped')} from ${batch}: ${rows}`;
  },
});

function refused(batch: Batch, kind: 'working' | 'none'): CliError {
  return kind === 'working' ? working(batch, true) : missing(`batch ${batch.name} was deleted meanwhile`);
}
