import type { Fields } from '../../../src/batches/input/row.ts';
import { contactMapper } from '../../../src/batches/mapping/contact.ts';
import { messageMapper } from '../../../src/batches/mapping/message.ts';
import type { Mapped } from '../../../src/batches/mapping/values.ts';
import { contactOptionsOf, messageOptionsOf, type Told } from '../../../src/batches/options.ts';

export const phone = '+12025550101';

/** Options of a message, with `--per`. */
export type Options = Told & { readonly per?: string };

/** Maps a row to a message. */
export async function message(
  { per = '', ...told }: Options,
  row: Fields,
  columns: readonly string[] = Object.keys(row),
): Promise<Mapped> {
  const options = { template: 'hello', per, ...messageOptionsOf(told) };
  return (await messageMapper(options, columns))(row);
}

/** Maps a row of a table to a contact. */
export async function contact(told: Told, row: Fields, columns = Object.keys(row)): Promise<Mapped> {
  return (await contactMapper(contactOptionsOf(told), { columns, isTable: true }))(row);
}

export async function contactOfRecord(
  told: Told,
  record: Fields,
  columns = [...Object.keys(record), 'phone'],
): Promise<Mapped> {
  return (await contactMapper(contactOptionsOf(told), { columns, isTable: false }))(record);
}

/** Parses fields from JSON, in which any name is an own property. */
export function fieldsOf(json: string): Fields {
  return Object.fromEntries(Object.entries(JSON.parse(json)));
}
