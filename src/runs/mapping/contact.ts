import type { Fields, Mapped } from '../row.ts';
import { createPlan } from './contact-plan.ts';
import type { ContactMappingOptions } from './contact-options.ts';
import { phoneNeeded } from './phone-needed.ts';
import { recordMapping } from './records.ts';
import { tableMapping } from './table.ts';

/** What is known of an input before its first row is read. */
export interface Source {
  /** A table's headers; records (JSON, NDJSON) have none. */
  readonly fields: readonly string[] | undefined;
}

/** Makes bodies of contacts. What contradicts itself, or names what a table has not, is a usage error at once. */
export async function createContactMapping(
  options: ContactMappingOptions,
  { fields }: Source,
): Promise<(fields: Fields) => Mapped> {
  const plan = await createPlan(options);
  return phoneNeeded(fields ? tableMapping(plan, fields) : recordMapping(plan), options.phone);
}
