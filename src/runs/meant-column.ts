import { nearest } from '../nearest.ts';
import { shellWord } from '../shell-word.ts';

/** A field that the service misses may be in the input by nearly that name; where it is, the flag that says so. */
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

/** More than anybody reads. */
const mostLooked = 200;

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}
