import type { Fields } from '../row.ts';
import { neededInputs } from './contact-plan.ts';
import type { ContactMappingOptions } from './contact-options.ts';
import { noRecordField } from './unknown.ts';

/** Watches which of the fields that the flags name the records of an input have. */
export interface NamedInputs {
  readonly see: (fields: Fields) => void;
  /** To be called when all were seen: a field that no record has is a usage error. */
  readonly refuseUnseen: () => void;
}

// So many names are enough to guess what was meant.
const mostKnown = 200;

/**
 * A record may lack any field, so a mistyped name shows only when all records were read: while the input is read for
 * its digest, before anything is sent. A table needs none of this.
 */
export function createNamedInputs(options: ContactMappingOptions): NamedInputs {
  const unseen = new Map(neededInputs(options).map(([flag, name]) => [name, flag]));
  const known = new Set<string>();
  let isEmpty = true;
  return {
    see(fields) {
      isEmpty = false;
      if (unseen.size === 0) return;
      for (const name of unseen.keys()) if (Object.hasOwn(fields, name)) unseen.delete(name);
      if (known.size < mostKnown) for (const name of Object.keys(fields).slice(0, mostKnown)) known.add(name);
    },
    refuseUnseen() {
      for (const [name, flag] of unseen) if (!isEmpty) throw noRecordField(flag, name, [...known], options.map);
    },
  };
}
