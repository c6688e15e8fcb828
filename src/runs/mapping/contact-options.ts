import { usage } from '../../base/errors.ts';
import { fieldName } from '../input/row.ts';
import type { FieldMap, TypedField } from './flags.ts';

/**
 * Maps a row to the body of a contact. `map` and `keep` name fields of the input; `type` names fields of the body, with
 * dots for nested ones. An unmapped field keeps its name. With `keep`, only these fields are sent, mapped ones, and the
 * phone. A column `a.b` of a table nests; a key `a.b` of a record does not, since records can nest themselves. The field
 * phone is read as a phone number.
 */
export interface ContactMappingOptions {
  readonly map?: readonly FieldMap[];
  readonly set?: readonly Constant[];
  readonly type?: readonly TypedField[];
  readonly keep?: readonly string[] | undefined;
  /** Of numbers without a country code: its code, `intl` or `:column`. */
  readonly country?: string | undefined;
}

/** A field with the same value in every body. */
interface Constant {
  readonly key: readonly string[];
  readonly value: string;
}

/** A name with the flag it was given by. */
export type Named = readonly [flag: string, name: string];

/** Refuses contradictory options before the input is read. */
export function checkContactMapping(options: ContactMappingOptions): void {
  const { map = [], set = [], type = [] } = options;
  refuseConflicts([
    ...map.map(({ from, to }) => ({ path: to, by: `--map ${from}=${to.join('.')}` })),
    ...set.map(({ key }) => ({ path: key, by: `--set ${key.join('.')}` })),
  ]);
  type.forEach(({ field }, at) => {
    if (field === 'phone') throw usage('--type names phone, which is a phone number', 'leave it out');
    if (type.findIndex((one) => one.field === field) < at)
      throw usage(`${fieldName(field)} is named twice by --type`, 'name it once');
  });
}

/** A field of the body with its origin. */
export interface FieldOrigin {
  readonly path: readonly string[];
  readonly by: string;
}

/** Refuses two origins for the same field, or for a field and a part of it. */
export function refuseConflicts(origins: readonly FieldOrigin[]): void {
  const given = new Map<string, FieldOrigin>();
  for (const origin of origins) {
    const field = origin.path.join('.');
    const other = given.get(field);
    if (other) throw conflict(other, origin, `the field ${fieldName(field)}`);
    given.set(field, origin);
  }
  for (const origin of origins) {
    const wholes = origin.path.slice(1).map((_, at) => origin.path.slice(0, at + 1).join('.'));
    const whole = wholes.find((field) => given.has(field));
    const other = whole === undefined ? undefined : given.get(whole);
    if (whole !== undefined && other) throw conflict(other, origin, `the field ${fieldName(whole)} and a part of it`);
  }
}

function conflict(one: FieldOrigin, other: FieldOrigin, what: string): Error {
  return usage(`${one.by} and ${other.by} both give ${what}`, 'leave one out; --keep names the columns to import');
}
