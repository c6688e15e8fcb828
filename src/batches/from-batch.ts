import { usage } from '../base/errors.ts';
import type { Database } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import type { Batch, Owner } from '../store/batch.ts';
import { cellsOf } from '../store/columns.ts';
import type { ReportRow } from '../store/views.ts';
import { requireBatch } from './choose.ts';
import { type Input, mostFirst } from './input/input.ts';
import { type InputRow, namesIn, peek } from './input/row.ts';
import { columnsIn, type ReportOptions, reportPages, withPhone } from './report.ts';

const outcomes = ['failed', 'waiting', 'unsure'] as const;

/** The people of a batch as an input: those whom it reached, or `NAME:failed`, `:waiting` or `:unsure`. */
export async function peopleOf(context: Context, database: Database, owner: Owner, fromBatch: string): Promise<Input> {
  const [name = '', word] = fromBatch.split(':', 2);
  const outcome = outcomes.find((one) => one === word);
  if (word !== undefined && outcome === undefined)
    throw usage(`--from-batch: "${word}" is not one of ${outcomes.join(', ')}`, 'NAME alone means who got it');
  const batch = await requireBatch(database, owner, name);
  const rows = rowsOf({ database, batch, outcomes: [outcome ?? 'sent'], now: context.host.now() });
  const { begun, all } = await peek(rows, mostFirst);
  const first = begun.flat().slice(0, mostFirst);
  const { columns, separator } = columnsIn(batch);
  return {
    name: `batch ${batch.name}`,
    path: undefined,
    columns: columns ?? namesIn(first),
    isTable: columns !== undefined,
    separator,
    encoding: undefined,
    unit: 'row',
    first,
    rows: all,
    close() {},
  };
}

async function* rowsOf(options: ReportOptions): AsyncGenerator<readonly InputRow[]> {
  for await (const page of reportPages(options)) yield page.map((row) => rowOf(row, options.batch));
}

/** Once its cells are erased, a row still has its phone. */
function rowOf({ n, line, who, cells }: ReportRow, batch: Batch): InputRow {
  return { number: n, line, fields: cells === undefined ? { phone: who } : withPhone(cellsOf(cells), who, batch) };
}
