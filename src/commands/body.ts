import { usage } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';

interface Field {
  readonly key: readonly string[];
  readonly value: unknown;
}

/** Builds an object from fields with nested keys; refuses a key that is set twice. */
export function nested(fields: readonly Field[], path: readonly string[] = []): object {
  const groups = new Map<string, Field[]>();
  for (const { key, value } of fields) {
    const [first = '', ...rest] = key;
    groups.set(first, [...(groups.get(first) ?? []), { key: rest, value }]);
  }
  // fromEntries creates own properties, even for __proto__.
  return Object.fromEntries([...groups].map(([name, inner]) => [name, valueOf(inner, [...path, name])]));
}

function valueOf(fields: readonly Field[], path: readonly string[]): unknown {
  const whole = fields.find(({ key }) => key.length === 0);
  if (!whole) return nested(fields, path);
  if (fields.length > 1) throw usage(`${path.join('.')} is given more than once`);
  return whole.value;
}

/** Parses the value of an option; `where` names the option in errors. */
export function jsonIn(text: string, where: string, hint?: string): unknown {
  try {
    const value = parseJson(text);
    refuseRounded(value);
    return value;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw error instanceof RangeError ? usage(`${where}: ${why}`) : usage(`${where} is not JSON: ${why}`, hint);
  }
}

/** Refuses a number that JSON would round or turn into null. Large integers are bigints already. */
function refuseRounded(value: unknown): void {
  const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (isRounded) throw new RangeError('a number is too large to be sent exactly; pass it as a string');
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseRounded);
}
