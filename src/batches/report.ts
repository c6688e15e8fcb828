import type { Database } from '../base/transaction.ts';
import { isRecord } from '../contract/readers.ts';
import type { Batch } from '../store/batch.ts';
import { type ReportRow, reportRows, states } from '../store/views.ts';
import { columnsIn, withPhone } from './columns-in.ts';
import { type Outcome, outcomeOf, reasonOf } from './outcomes.ts';
import { isReportColumn, reportColumns } from './report-columns.ts';
import { json } from '../store/columns.ts';

export interface ReportOptions {
  readonly database: Database;
  readonly batch: Batch;
  /** Only rows with these outcomes; all rows if empty. */
  readonly outcomes: readonly Outcome[];
  readonly now: number;
}

const pageSize = 1_000;

/** The rows of a batch, in pages. */
export async function* reportPages(options: ReportOptions): AsyncGenerator<readonly ReportRow[]> {
  const { database, batch, outcomes, now } = options;
  const wanted = outcomes.length === 0 ? undefined : states.filter((state) => outcomes.includes(outcomeOf[state]));
  for (let after = 0; ;) {
    const page = await reportRows(database, { id: batch.id, after, limit: pageSize, states: wanted, now });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.n;
  }
}

/** The columns of the rows: those of the file, or all that any row has. */
export async function cellColumns(options: ReportOptions): Promise<readonly string[]> {
  const { columns } = columnsIn(options.batch);
  if (columns) return columns.filter((name) => !isReportColumn(name));
  const names = new Set<string>();
  for await (const page of reportPages(options))
    for (const row of page) for (const name of Object.keys(cellsOf(row))) names.add(name);
  return [...names].filter((name) => !isReportColumn(name));
}

/** The delivery of a message, as events reported it. */
export interface Delivery {
  readonly delivery: string;
  readonly reason?: string | undefined;
}

/** A row of a report: the cells of the file, and what became of them. */
export function reportRecord(
  row: ReportRow,
  batch: Pick<Batch, 'id' | 'told'>,
  columns: readonly string[],
  deliveries: ReadonlyMap<string, Delivery>,
): Readonly<Record<string, unknown>> {
  const { n, line, state, by, messageId } = row;
  const cells = withPhone(cellsOf(row), row.who, batch);
  const known = messageId === undefined ? undefined : deliveries.get(messageId);
  return {
    ...Object.fromEntries(columns.map((name) => [name, Object.hasOwn(cells, name) ? cells[name] : null])),
    [reportColumns.row]: `${batch.id}-${n}`,
    [reportColumns.line]: line,
    [reportColumns.outcome]: outcomeOf[state],
    [reportColumns.time]: timeOf(row),
    [reportColumns.reason]: reasonOf(row) ?? known?.reason ?? null,
    [reportColumns.id]: messageId ?? null,
    [reportColumns.by]: by === undefined ? null : by === '' ? 'a single message' : by,
    [reportColumns.delivery]: known?.delivery ?? null,
  };
}

/** When something happened to it; a row that waits or is not sent only has a time of its load. */
function timeOf({ state, by, at }: ReportRow): string | null {
  const isLoadTime = (state === 'waiting' || outcomeOf[state] === 'not-sent') && by === undefined;
  return isLoadTime ? null : new Date(at).toISOString();
}

/** Empty once they are erased. */
function cellsOf({ cells }: ReportRow): Readonly<Record<string, unknown>> {
  const value = cells === undefined ? {} : json(cells, 'cells');
  return isRecord(value) ? value : {};
}
