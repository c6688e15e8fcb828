import { usage } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';

interface Field {
  readonly key: readonly string[];
  readonly value: unknown;
}

/** One object of fields whose keys nest; two fields that want the same place are an error. */
export function nested(fields: readonly Field[], path: readonly string[] = []): object {
  const groups = new Map<string, Field[]>();
  for (const { key, value } of fields) {
    const [first = '', ...rest] = key;
    groups.set(first, [...(groups.get(first) ?? []), { key: rest, value }]);
  }
  // fromEntries makes own fields, whatever their name, __proto__ too.
  return Object.fromEntries([...groups].map(([name, inner]) => [name, valueOf(inner, [...path, name])]));
}

function valueOf(fields: readonly Field[], path: readonly string[]): unknown {
  const whole = fields.find(({ key }) => key.length === 0);
  if (!whole) return nested(fields, path);
  if (fields.length > 1) throw usage(`${path.join('.')} is given more than once`);
  return whole.value;
}

export function jsonIn(text: string, where: string): unknown {
  try {
    const value = parseJson(text);
    refuseRounded(value);
    return value;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usage(error instanceof RangeError ? `${where}: ${why}` : `${where} is not JSON: ${why}`);
  }
}

/** A number that is too large would be sent as another one, or as null; an integer is a bigint by then. */
function refuseRounded(value: unknown): void {
  const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (isRounded) throw new RangeError('a number in it is too large to be sent exactly; give it as a text');
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseRounded);
}
