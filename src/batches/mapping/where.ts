import { type Condition, isMet } from '../../base/condition.ts';
import { cellsOf } from '../../store/columns.ts';
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
): ((cells: string, wasUnwanted: boolean) => boolean) | undefined {
  if (conditions.length === 0) return undefined;
  const isUnwanted = whereFilter(conditions, undefined);
  return (cells, wasUnwanted) => {
    const fields = cellsOf(cells);
    // A file that was loaded before may have had other columns.
    return conditions.every((wanted) => hasColumn(fields, wanted)) ? isUnwanted(fields) : wasUnwanted;
  };
}

function hasColumn(fields: Fields, { path }: Condition): boolean {
  return Object.hasOwn(fields, path.join('.')) || columnNamed(path[0] ?? '', Object.keys(fields)) !== undefined;
}

/** The place in a record: a field whose name has dots, or a nested one, whose first name is in any case. */
function placedIn(fields: Fields, { path, value }: Condition): Condition {
  const name = path.join('.');
  if (Object.hasOwn(fields, name)) return { path: [name], value };
  const [first = '', ...rest] = path;
  return { path: [columnNamed(first, Object.keys(fields)) ?? first, ...rest], value };
}
