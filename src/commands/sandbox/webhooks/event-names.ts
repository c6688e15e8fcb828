import { type EventName, events } from '../../../contract/events.ts';
import { usage } from '../../../base/errors.ts';
import { nearest } from '../../../base/suggest.ts';

const all = Object.keys(events).filter(isEventName);
const families = [...new Set(all.map(familyOf))];

/** Names such as `message.read`, or `message` for all of that family, with commas between. */
export function eventNames(text: string): readonly EventName[] {
  return [...new Set(text.split(',').flatMap((word) => meant(word.trim())))];
}

function meant(word: string): readonly EventName[] {
  const found = all.filter((name) => name === word || familyOf(name) === word);
  if (found.length > 0) return found;
  const near = nearest(word, [...all, ...families]);
  throw usage(`"${word}" is not an event`, near ? `did you mean ${near}?` : `use ${[...families, ...all].join(', ')}`);
}

function familyOf(name: EventName): string {
  return name.replace(/\..*/, '');
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(events, name);
}
