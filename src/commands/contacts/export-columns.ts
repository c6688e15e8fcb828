import type { Context } from '../../cli/command.ts';
import { usage } from '../../base/errors.ts';
import { columnsOf, pick, type Row, valueAt } from '../../cli/output/rows.ts';

/** Chooses the columns of an export, which the header line fixes before later rows are known. */
export interface ExportColumns {
  /** Adds rows; returns the rows that can be printed now. */
  add(rows: readonly Row[]): readonly Row[];
  /** Returns the held rows; throws if a requested column occurred in no row. */
  rest(): readonly Row[];
  /** A note about the fields that were left out, if any. */
  omissions(): string | undefined;
}

/** Rows to hold while a requested column has not occurred yet. */
const maxHeld = 1_000;

export function exportColumns({ output, json, columns: requested }: Context['given']): ExportColumns {
  const isWhole = json || output === 'json' || output === 'ndjson' || output === 'id';
  const [unseen, known, omitted] = [new Set(requested), new Set<string>(), new Set<string>()];
  let columns = requested;
  let held: readonly Row[] = [];
  let [count, cut, isHolding] = [0, 0, true];
  return {
    add(rows) {
      inspect(rows);
      held = [...held, ...rows.map((row) => withColumns(row))];
      isHolding &&= unseen.size > 0 && held.length < maxHeld;
      return isHolding ? [] : release();
    },
    rest() {
      const [unknown] = unseen;
      if (unknown !== undefined && count > 0)
        throw usage(`--columns: there is no column "${unknown}"`, `these have ${[...known].join(', ')}`);
      return release();
    },
    omissions() {
      if (omitted.size === 0 || !columns) return undefined;
      const names = `${omitted.size === 1 ? 'field' : 'fields'} ${[...omitted].join(', ')}`;
      const all = [...columns, ...omitted].join(',');
      return `${cut} of ${count} rows were printed without the ${names}, which the first page with contacts lacks; add --columns ${all}, or use -o ndjson`;
    },
  };

  function inspect(rows: readonly Row[]): void {
    count += rows.length;
    if (rows.length > 0 && !isWhole) columns ??= columnsOf(rows);
    for (const name of unseen) if (rows.some((row) => valueAt(row, name) !== undefined)) unseen.delete(name);
    if (unseen.size > 0) for (const name of columnsOf(rows)) known.add(name);
  }

  function withColumns(row: Row): Row {
    if (!columns) return row;
    const others = requested ? [] : Object.keys(row).filter((name) => !columns?.includes(name));
    if (others.length > 0) cut += 1;
    for (const name of others) omitted.add(name);
    return pick(row, columns);
  }

  function release(): readonly Row[] {
    const rows = held;
    held = [];
    return rows;
  }
}
