import { chosen, names } from '../../cli/params.ts';
import { eventFamilies, type EventName, eventNames, familyOf } from '../../contract/events.ts';
import { typeParam } from '../list.ts';

type Words<N> = ReadonlyMap<string, readonly N[]>;

/** `message.read`, or `message` for its family. */
export const eventWords: Words<EventName> = new Map<string, readonly EventName[]>([
  ...eventNames.map((name) => [name, [name]] as const),
  ...eventFamilies.map((word) => [word, eventNames.filter((name) => familyOf(name) === word)] as const),
]);

export function eventsIn(text: string): readonly EventName[] {
  return namesIn(text, eventWords);
}

export const eventsText = 'only these, comma-separated; message means its family';

/** The option --type of a list of events. */
export const eventType = typeParam([...eventWords.keys()], 'events', eventsText, eventsIn);

/** Reads comma-separated words. */
export function namesIn<N>(text: string, words: Words<N>): readonly N[] {
  const all = [...words.keys()];
  return [...new Set(names(text).flatMap((word) => words.get(chosen(word, all)) ?? []))];
}
