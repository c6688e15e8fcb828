import type { Fields } from './input/row.ts';

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
