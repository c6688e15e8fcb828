import { type EventName, events } from '../contract/events.ts';
import type { Headers } from './event-records.ts';
import type { Field } from './walk.ts';

/** Fields that are likely to name an event, the likeliest first. */
const titles = ['type', 'event', 'eventtype', 'eventname', 'topic', 'name', 'kind', 'action'];
/** In which anything with a dot is a name. People and things have names as well. */
const surest = titles.slice(0, 5);

/** The name of an event, wherever it stands: what is near the top counts for more, and a field that is called so. */
export function nameIn(fields: readonly Field[], headers: Headers): string | undefined {
  const levels = levelsOf(fields);
  const top = levels[1] ?? [];
  return (
    titled(top, titles, isEventName) ??
    titled(top, surest, looksLikeName) ??
    firstOf(levels, (level) => titled(level, titles, isEventName) ?? only(level.map(({ value }) => value))) ??
    only(headers.map(([, value]) => value)) ??
    firstOf(levels, (level) => titled(level, surest, looksLikeName))
  );
}

function isEventName(value: unknown): value is EventName {
  return typeof value === 'string' && Object.hasOwn(events, value);
}

function levelsOf(fields: readonly Field[]): readonly (readonly Field[])[] {
  const levels: Field[][] = [];
  for (const field of fields) (levels[field.depth] ??= []).push(field);
  return levels;
}

function titled(
  fields: readonly Field[],
  titles: readonly string[],
  isName: (value: unknown) => value is string,
): string | undefined {
  return firstOf(titles, (title) =>
    fields
      .filter(({ key }) => key === title)
      .map(({ value }) => value)
      .find(isName),
  );
}

/** Where there are several, nothing says which is meant. */
function only(values: readonly unknown[]): EventName | undefined {
  const names = new Set(values.filter(isEventName));
  return names.size === 1 ? [...names][0] : undefined;
}

/** `message.deleted`, which the document does not know. */
function looksLikeName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 100 && /^[a-z][\w-]*(?:[.:/][a-z][\w-]*)+$/i.test(value);
}

function firstOf<T, R>(items: Iterable<T>, find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
