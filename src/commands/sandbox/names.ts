import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { typeParam } from '../list.ts';
import { eventFamilies, type EventName, eventNames, familyOf } from '../../contract/events.ts';

type Words<N> = ReadonlyMap<string, readonly N[]>;

/** `message.read`, or `message` for its family. */
export const eventWords: Words<EventName> = new Map<string, readonly EventName[]>([
  ...eventNames.map((name) => [name, [name]] as const),
  ...eventFamilies.map((word) => [word, eventNames.filter((name) => familyOf(name) === word)] as const),
]);

export function eventsIn(text: string): readonly EventName[] {
  return namesIn(text, eventWords, 'not an event');
}

export const eventsText = 'only these, comma-separated; message means its family';

/** The option --type of a list of events. */
export const eventType = typeParam([...eventWords.keys()], 'events', eventsText, eventsIn);

/** Reads comma-separated names. */
export function namesIn<N>(text: string, words: Words<N>, unknown: string): readonly N[] {
  const names = text.split(',').flatMap((part) => {
    const word = part.trim();
    const named = words.get(word);
    if (!named) throw unknownWord(word, [...words.keys()], unknown);
    return named;
  });
  return [...new Set(names)];
}

export function unknownWord(word: string, words: readonly string[], unknown: string): Error {
  // A prefix is a better guess than a typo: contacts means contacts-list, not contact.
  const completed = word === '' ? [] : words.filter((name) => name.startsWith(word));
  const near = completed.length > 0 ? completed.join(' or ') : suggest(word, words);
  return usage(`"${word}" is ${unknown}`, near ? `did you mean ${near}?` : `use ${words.join(', ')}`);
}
