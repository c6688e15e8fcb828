import { type Condition, isMet } from '../../base/condition.ts';
import { cellsOf } from '../../store/columns.ts';
import type { Fields, Names } from '../input/row.ts';
import { columnNamed, requireColumn } from './columns.ts';

/** Whether `--where` excludes a row: one that does not meet all conditions. Throws if there is no such column. */
export function whereFilter(conditions: readonly Condition[], names: Names): (fields: Fields) => boolean {
  const placed = conditions.map((wanted) => {
    const name = wanted.path.join('.');
    return placeOf(wanted, names) ?? { ...wanted, path: [requireColumn('--where', name, names.columns)] };
  });
  return (fields) => !placed.every((wanted) => isMet(wanted, fields));
}

/** Whether `--where` excludes a stored row; undefined without conditions. */
export function unwantedCells(
  conditions: readonly Condition[],
): ((cells: string, wasUnwanted: boolean) => boolean) | undefined {
  if (conditions.length === 0) return undefined;
  return (cells, wasUnwanted) => {
    const fields = cellsOf(cells);
    const names = { columns: Object.keys(fields), isTable: false };
    // A file that was loaded before may have had other columns.
    const hasAll = conditions.every((wanted) => placeOf(wanted, names));
    return hasAll ? whereFilter(conditions, names)(fields) : wasUnwanted;
  };
}

/** The column with the whole name, in any case, or a place in a field of a record. */
function placeOf({ path, value }: Condition, { columns, isTable }: Names): Condition | undefined {
  const whole = columnNamed(path.join('.'), columns);
  if (whole !== undefined) return { path: [whole], value };
  const [first = '', ...rest] = path;
  const field = isTable ? undefined : columnNamed(first, columns);
  return field === undefined ? undefined : { path: [field, ...rest], value };
}
