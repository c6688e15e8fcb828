import type { ContactMappingOptions } from '../../../src/runs/mapping/contact-options.ts';
import { createContactMapping } from '../../../src/runs/mapping/contact.ts';
import type { TypedField } from '../../../src/runs/mapping/flags.ts';
import type { Fields } from '../../../src/runs/input/row.ts';

const phone = '+12025550101';

/** Maps the only row of a table, which has a phone besides, unless its own columns give one. */
export async function tableRow(options: ContactMappingOptions, row: Fields) {
  const fields = withPhone(options, row);
  const mapped = (await createContactMapping(options, { fields: Object.keys(fields) }))(fields);
  return fields === row ? mapped : withoutPhone(mapped);
}

/** Maps one record, in the same way. */
export async function record(options: ContactMappingOptions, row: Fields) {
  const fields = withPhone(options, row);
  const mapped = (await createContactMapping(options, { fields: undefined }))(fields);
  return fields === row ? mapped : withoutPhone(mapped);
}

function withPhone({ map = [], set = [] }: ContactMappingOptions, row: Fields): Fields {
  const names = [...Object.keys(row), ...map.map(({ to }) => to[0]), ...set.map(({ key }) => key[0])];
  const isEmpty = Object.values(row).every((value) => value === '');
  return isEmpty || names.some((name) => name?.toLowerCase() === 'phone') ? row : { ...row, phone };
}

function withoutPhone(mapped: { readonly body: object } | { readonly reason: string }) {
  if ('reason' in mapped) return mapped;
  return { body: Object.fromEntries(Object.entries(mapped.body).filter(([name]) => name !== 'phone')) };
}

export function as(type: TypedField['type'], ...fields: readonly string[]): readonly TypedField[] {
  return fields.map((field) => ({ field, type }));
}

/** Parses fields from JSON, in which any name is an own property. */
export function fieldsOf(json: string): Fields {
  return Object.fromEntries(Object.entries(JSON.parse(json)));
}
