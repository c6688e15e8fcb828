import type { Database } from '../base/transaction.ts';
import { isRecord } from '../contract/readers.ts';
import type { Batch } from '../store/batch.ts';
import { cellsOf, json } from '../store/columns.ts';
import { type ReportRow, reportRows, states } from '../store/views.ts';
import type { Fields } from './input/row.ts';
import { columnNamed, usualPhoneColumns } from './mapping/columns.ts';
import { phoneIn } from './options.ts';
import { type Outcome, outcomeOf, reasonOf } from './outcomes.ts';
import { toldOf } from './settings.ts';

/** The columns that a report adds to those of the file. */
export const reportColumns = {
  row: 'bizmsg_row',
  line: 'bizmsg_line',
  outcome: 'bizmsg_outcome',
  time: 'bizmsg_time',
  reason: 'bizmsg_reason',
  id: 'bizmsg_id',
  by: 'bizmsg_by',
  delivery: 'bizmsg_delivery',
} as const;

const names: ReadonlySet<string> = new Set(Object.values(reportColumns));

export function isReportColumn(name: string): boolean {
  return names.has(name);
}

/** Removes the columns of a report from a row; `fixes` is the row that it corrects: ID-NUMBER. */
export function withoutReport(fields: Fields): { readonly fields: Fields; readonly fixes: string | undefined } {
  const entries = Object.entries(fields);
  const data = entries.filter(([name]) => !isReportColumn(name));
  if (data.length === entries.length) return { fields, fixes: undefined };
  const row = fields[reportColumns.row];
  return { fields: Object.fromEntries(data), fixes: typeof row === 'string' && row !== '' ? row : undefined };
}

/** The columns of the file that a batch was loaded from last, and what separates them. */
export function columnsIn({ columns }: Pick<Batch, 'columns'>) {
  const stored = json(columns, 'columns');
  const { names, separator } = isRecord(stored) ? stored : {};
  return {
    columns: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined,
    separator: typeof separator === 'string' ? separator : undefined,
  };
}

/** The fields of a row with its phone as it was read: with another country, it would be another phone. */
export function withPhone(fields: Fields, who: string, batch: Pick<Batch, 'told'>): Fields {
  const name = phoneColumn(Object.keys(fields), batch);
  return name === undefined || !who.startsWith('+') ? fields : { ...fields, [name]: who };
}

/** The column with the phones. */
export function phoneColumn(names: readonly string[], { told }: Pick<Batch, 'told'>): string | undefined {
  const mapped = phoneIn(toldOf(told));
  return mapped === undefined ? usualPhoneColumns(names)[0] : columnNamed(mapped, names);
}

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
    for (const row of page) for (const name of Object.keys(cellsOf(row.cells ?? '{}'))) names.add(name);
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
  const cells = withPhone(cellsOf(row.cells ?? '{}'), row.who, batch);
  const delivered = messageId === undefined ? undefined : deliveries.get(messageId);
  return {
    ...Object.fromEntries(columns.map((name) => [name, Object.hasOwn(cells, name) ? cells[name] : null])),
    [reportColumns.row]: `${batch.id}-${n}`,
    [reportColumns.line]: line,
    [reportColumns.outcome]: outcomeOf[state],
    [reportColumns.time]: timeOf(row),
    [reportColumns.reason]: reasonOf(row) ?? delivered?.reason ?? null,
    [reportColumns.id]: messageId ?? null,
    [reportColumns.by]: by === undefined ? null : by === '' ? 'a single message' : by,
    [reportColumns.delivery]: delivered?.delivery ?? null,
  };
}

/** When something happened to it; a row that waits or is not sent only has a time of its load. */
function timeOf({ state, by, at }: ReportRow): string | null {
  const isLoadTime = (state === 'waiting' || outcomeOf[state] === 'not-sent') && by === undefined;
  return isLoadTime ? null : new Date(at).toISOString();
}
