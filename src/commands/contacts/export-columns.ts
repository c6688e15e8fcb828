import type { Context } from '../../cli/command.ts';
import { usage } from '../../base/errors.ts';
import { columnsOf, pick, type Row, valueAt } from '../../cli/output/rows.ts';

/** What the rows of an export show, of which the first line has to tell all. */
export interface ExportColumns {
  /** What of these rows can be shown by now, and of those that were held back. */
  shown(rows: readonly Row[]): readonly Row[];
  /** All that is held back; throws where no row had a column that was asked for. */
  rest(): readonly Row[];
  /** What was left out, in words. */
  leftOut(): string | undefined;
}

/** A column that was asked for may come late; it is not waited for longer than this. */
const mostHeld = 1_000;

export function exportColumns({ output, json, columns: asked }: Context['given']): ExportColumns {
  const isWhole = json || output === 'json' || output === 'ndjson' || output === 'id';
  const [unseen, known, missed] = [new Set(asked), new Set<string>(), new Set<string>()];
  let columns = asked;
  let held: readonly Row[] = [];
  let [count, cut, waits] = [0, 0, true];
  return {
    shown(rows) {
      look(rows);
      held = [...held, ...rows.map((row) => chosen(row))];
      waits &&= unseen.size > 0 && held.length < mostHeld;
      return waits ? [] : released();
    },
    rest() {
      const [unknown] = unseen;
      if (unknown !== undefined && count > 0)
        throw usage(`there is no column "${unknown}"`, `these have ${[...known].join(', ')}`);
      return released();
    },
    leftOut() {
      if (missed.size === 0 || !columns) return undefined;
      const names = [...missed].join(', ');
      const field = missed.size === 1 ? 'no such field' : 'no such fields';
      const all = [...columns, ...missed].join(',');
      return `left out of ${cut} of ${count} rows, as the first page with contacts has ${field}: ${names}; --columns ${all} has them, and -o ndjson every field`;
    },
  };

  function look(rows: readonly Row[]): void {
    count += rows.length;
    if (rows.length > 0 && !isWhole) columns ??= columnsOf(rows);
    for (const name of unseen) if (rows.some((row) => valueAt(row, name) !== undefined)) unseen.delete(name);
    if (unseen.size > 0) for (const name of columnsOf(rows)) known.add(name);
  }

  function chosen(row: Row): Row {
    if (!columns) return row;
    const others = asked ? [] : Object.keys(row).filter((name) => !columns?.includes(name));
    if (others.length > 0) cut += 1;
    for (const name of others) missed.add(name);
    return pick(row, columns);
  }

  function released(): readonly Row[] {
    const rows = held;
    held = [];
    return rows;
  }
}
