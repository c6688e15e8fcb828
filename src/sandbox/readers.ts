import { suggest } from '../base/suggest.ts';
import { eventNames, type EventName, isEventName } from '../contract/events.ts';
import { type Fields, isRecord, Mismatch, object, type Reader, type Readers } from '../contract/readers.ts';

/** An object with these fields and no others: an unknown one is most likely a typo. */
export function fields<S extends Readers>(shape: S): Reader<Fields<S>> {
  const read = object(shape);
  return (value, at = '') => {
    const unknown = Object.keys(isRecord(value) ? value : {}).find((name) => !Object.hasOwn(shape, name));
    if (unknown === undefined) return read(value, at);
    throw new Mismatch(`${at}/${unknown}`, `is unknown${suggestion(unknown, Object.keys(shape))}`);
  };
}

export function number(least: number, most: number): Reader<number> {
  return (value, at = '') => {
    if (typeof value === 'number' && value >= least && value <= most) return value;
    throw new Mismatch(at, `must be a number from ${least} to ${most}`);
  };
}

export function integer(least = 0, most: number = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (value, at = '') => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    const range = most === Number.MAX_SAFE_INTEGER ? `, at least ${least}` : ` from ${least} to ${most}`;
    throw new Mismatch(at, `must be an integer${range}`);
  };
}

export function eventName(value: unknown, at = ''): EventName {
  if (isEventName(value)) return value;
  throw new Mismatch(at, `must be an event${suggestion(value, eventNames)}`);
}

/** `; did you mean "x"?`, or all names if none is similar. */
export function suggestion(value: unknown, names: readonly string[]): string {
  const near = suggest(String(value), names);
  return near === undefined ? `; known: ${names.join(', ')}` : `; did you mean "${near}"?`;
}

export function record(value: unknown, at = ''): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new Mismatch(at, 'must be an object');
}
