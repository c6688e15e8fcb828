import type { ContactMappingOptions } from '../../../src/runs/mapping/contact-options.ts';
import { createContactMapping } from '../../../src/runs/mapping/contact.ts';
import type { Fields } from '../../../src/runs/input/row.ts';

/** What a table's one row comes to. */
export async function tableRow(options: ContactMappingOptions, row: Fields) {
  return (await createContactMapping(options, { fields: Object.keys(row) }))(row);
}

/** What one record comes to. */
export async function record(options: ContactMappingOptions, fields: Fields) {
  return (await createContactMapping(options, { fields: undefined }))(fields);
}

/** Fields from JSON, which alone writes every name as a field of its own. */
export function fieldsOf(json: string): Fields {
  return Object.fromEntries(Object.entries(JSON.parse(json)));
}
