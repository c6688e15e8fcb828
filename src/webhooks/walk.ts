/** A value within JSON, and the field that it stands in; the items of an array stand in that of the array. */
export interface Field {
  readonly value: unknown;
  /** In small letters, without `_` and `-`. */
  readonly key: string;
  /** The key of what holds it. */
  readonly within: string;
  readonly depth: number;
}

/** More than any event has, and few enough not to be felt. */
const most = 10_000;

/** What stands in JSON from the top down, level by level. */
export function fieldsOf(value: unknown): readonly Field[] {
  const fields: Field[] = [{ value, key: '', within: '', depth: 0 }];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at];
    if (field) for (const part of partsOf(field, most - fields.length)) fields.push(part);
  }
  return fields;
}

/** Whether a text stands anywhere in JSON, as a value of its own. */
export function holds(value: unknown, text: string): boolean {
  if (typeof value !== 'object' || value === null) return value === text;
  return Object.values(value).some((item) => holds(item, text));
}

function partsOf({ value, key, within, depth }: Field, room: number): readonly Field[] {
  if (typeof value !== 'object' || value === null || room <= 0) return [];
  if (Array.isArray(value)) {
    return value.slice(0, room).map((item: unknown) => ({ value: item, key, within, depth: depth + 1 }));
  }
  const entries = Object.entries(value).slice(0, room);
  return entries.map(([name, item]) => ({ value: item, key: plain(name), within: key, depth: depth + 1 }));
}

function plain(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}
