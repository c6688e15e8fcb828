import { isRecord } from '../contract/readers.ts';
import type { Batch } from '../store/batch.ts';
import { phoneIn } from './ask.ts';
import type { Fields } from './input/row.ts';
import { columnNamed, usualPhoneColumns } from './mapping/columns.ts';
import { toldOf } from './told.ts';
import { json } from '../store/columns.ts';

/** The columns of the file that a batch was loaded from last, and what separates them. */
export function columnsIn({ columns }: Pick<Batch, 'columns'>): {
  readonly columns: readonly string[] | undefined;
  readonly separator: string | undefined;
} {
  const stored = json(columns, 'columns');
  const { names, separator } = isRecord(stored) ? stored : {};
  return {
    columns: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined,
    separator: typeof separator === 'string' ? separator : undefined,
  };
}

/** The fields of a row with its phone as it was read: with another country, it would be another phone. */
export function withPhone(fields: Fields, who: string, { told }: Pick<Batch, 'told'>): Fields {
  const names = Object.keys(fields);
  const mapped = phoneIn(toldOf(told));
  const name = mapped === undefined ? usualPhoneColumns(names)[0] : columnNamed(mapped, names);
  return name === undefined || !who.startsWith('+') ? fields : { ...fields, [name]: who };
}
