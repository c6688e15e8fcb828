import { usage } from '../base/errors.ts';
import type { Database } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import type { Batch, Owner } from '../store/batch.ts';
import { cellsOf } from '../store/columns.ts';
import type { ReportRow } from '../store/views.ts';
import { phoneIn } from './ask.ts';
import { requireBatch } from './choose.ts';
import { type Input, mostFirst } from './input/input.ts';
import { type InputRow, namesIn, peek } from './input/row.ts';
import type { Outcome } from './outcomes.ts';
import { columnsIn, phoneColumn, type ReportOptions, reportPages, withPhone } from './report.ts';
import { type Told, toldOf } from './settings.ts';

const outcomes = ['failed', 'waiting', 'unsure'] as const;

/** Some people of a batch. */
export interface Source {
  readonly batch: Batch;
  readonly outcome: Outcome;
}

/** Those whom the batch reached, or `NAME:failed`, `:waiting` or `:unsure`. */
export async function findSource(database: Database, owner: Owner, fromBatch: string): Promise<Source> {
  const [name = '', word] = fromBatch.split(':', 2);
  const outcome = outcomes.find((one) => one === word);
  if (word !== undefined && outcome === undefined)
    throw usage(`--from-batch: "${word}" is not one of ${outcomes.join(', ')}`, 'NAME alone means who got it');
  return { batch: await requireBatch(database, owner, name), outcome: outcome ?? 'sent' };
}

/** What the batch keeps for reading its rows. */
export function readingOf({ batch }: Source): Told {
  const told = toldOf(batch.told);
  const phone = phoneIn(told);
  return { map: phone === undefined ? undefined : [`${phone}=phone`], country: told.country };
}

/** The people as an input. */
export async function peopleOf(context: Context, database: Database, { batch, outcome }: Source): Promise<Input> {
  const rows = rowsOf({ database, batch, outcomes: [outcome], now: context.host.now() });
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
  if (cells !== undefined) return { number: n, line, fields: withPhone(cellsOf(cells), who, batch) };
  const column = phoneColumn(columnsIn(batch).columns ?? [], batch) ?? phoneIn(toldOf(batch.told)) ?? 'phone';
  return { number: n, line, fields: { [column]: who } };
}
