import { type Condition, isMet } from '../../base/condition.ts';
import { parseJson } from '../../base/json.ts';
import { isRecord } from '../../contract/readers.ts';
import type { Fields } from '../input/row.ts';
import { columnNamed, requireColumn } from './columns.ts';

/** Whether `--where` excludes a row: one that does not meet all conditions. Throws if a table has no such column. */
export function whereFilter(
  conditions: readonly Condition[],
  columns: readonly string[] | undefined,
): (fields: Fields) => boolean {
  if (!columns) return (fields) => !conditions.every((wanted) => isMet(placedIn(fields, wanted), fields));
  const placed = conditions.map(({ path, value }) => ({
    path: [requireColumn('--where', path.join('.'), columns)],
    value,
  }));
  return (fields) => !placed.every((wanted) => isMet(wanted, fields));
}

/** Whether `--where` excludes a stored row; undefined without conditions. */
export function unwantedCells(
  conditions: readonly Condition[],
  columns: readonly string[] | undefined,
): ((cells: string) => boolean) | undefined {
  if (conditions.length === 0) return undefined;
  const isUnwanted = whereFilter(conditions, columns);
  return (cells) => {
    const fields = parseJson(cells);
    return isRecord(fields) && isUnwanted(fields);
  };
}

/** The place in a record: a field whose name has dots, or a nested one, whose first name is in any case. */
function placedIn(fields: Fields, { path, value }: Condition): Condition {
  const name = path.join('.');
  if (Object.hasOwn(fields, name)) return { path: [name], value };
  const [first = '', ...rest] = path;
  return { path: [columnNamed(first, Object.keys(fields)) ?? first, ...rest], value };
}
