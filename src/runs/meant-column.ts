import { nearest } from '../base/suggest.ts';
import { shellWord } from '../base/shell-word.ts';

/** If the service misses a field, and the input has a column of nearly that name: the option that maps it. */
export function meantColumn(reasons: readonly string[], columns: readonly string[]): string | undefined {
  for (const reason of reasons) {
    const field = /(?:\/|["'])([\w.-]+)["']? is (?:missing|required)/.exec(reason)?.[1];
    const column = field === undefined ? undefined : columnFor(field, columns);
    if (field !== undefined && column !== undefined)
      return `the input has "${column}": --map ${shellWord(`${column}=${field}`)}`;
  }
  return undefined;
}

function columnFor(field: string, columns: readonly string[]): string | undefined {
  if (columns.includes(field)) return undefined;
  const same = columns.find((column) => plain(column) === plain(field));
  return same ?? nearest(field, columns.slice(0, mostLooked));
}

/** Columns beyond it are not compared. */
const mostLooked = 200;

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}
