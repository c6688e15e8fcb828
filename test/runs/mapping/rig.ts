import type { ContactMappingOptions } from '../../../src/runs/mapping/contact-options.ts';
import { createContactMapping } from '../../../src/runs/mapping/contact.ts';
import type { Fields } from '../../../src/runs/input/row.ts';

/** Maps the only row of a table. */
export async function tableRow(options: ContactMappingOptions, row: Fields) {
  return (await createContactMapping(options, { fields: Object.keys(row) }))(row);
}

/** Maps one record. */
export async function record(options: ContactMappingOptions, fields: Fields) {
  return (await createContactMapping(options, { fields: undefined }))(fields);
}

/** Parses fields from JSON, in which any name is an own property. */
export function fieldsOf(json: string): Fields {
  return Object.fromEntries(Object.entries(JSON.parse(json)));
}
