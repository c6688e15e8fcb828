import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { type EndpointName, endpointNames } from '../../contract/endpoints.ts';
import { eventFamilies, type EventName, eventNames, familyOf } from '../../contract/events.ts';

type Name = EndpointName | EventName;

/** A plan excludes a path with all its methods; a fault applies to one method. */
const wordsOf = {
  sendTemplate: { plan: 'send-template', fault: 'send-template' },
  listContacts: { plan: 'contacts', fault: 'contacts-list' },
  createContact: { plan: 'contacts', fault: 'contacts-create' },
  listTemplates: { plan: 'templates', fault: 'templates-list' },
  listCampaigns: { plan: 'campaigns', fault: 'campaigns-list' },
} as const satisfies Record<EndpointName, object>;

export type PlanWord = (typeof wordsOf)[EndpointName]['plan'];

/** The words that `plan set --without` accepts. */
export const planWords = planWordsFor(endpointNames);

export function planWordsFor(names: readonly EndpointName[]): readonly PlanWord[] {
  return [...new Set(names.map((name) => wordsOf[name].plan))];
}

export function endpointsIn(words: readonly PlanWord[]): readonly EndpointName[] {
  return words.flatMap((word) => endpointNames.filter((name) => wordsOf[name].plan === word));
}

/** `message.read`, or `message` for its family. */
const eventWords: ReadonlyMap<string, readonly EventName[]> = new Map<string, readonly EventName[]>([
  ...eventNames.map((name) => [name, [name]] as const),
  ...eventFamilies.map((word) => [word, eventNames.filter((name) => familyOf(name) === word)] as const),
]);

const faultWords: ReadonlyMap<string, readonly Name[]> = new Map<string, readonly Name[]>([
  ...endpointNames.map((name) => [wordsOf[name].fault, [name]] as const),
  ['requests', endpointNames],
  ...eventWords,
  ['events', eventNames],
]);

/** The words that `fault add --on` accepts. */
export const faultTargetWords: readonly string[] = [...faultWords.keys()];

/** The endpoints and events that comma-separated words name. */
export function faultTargets(text: string): readonly Name[] {
  return namesIn(text, faultWords, (word) => {
    // A prefix is a better guess than a small typo: contacts means contacts-list, not contact.
    const completed = word === '' ? [] : faultTargetWords.filter((one) => one.startsWith(word));
    const near = suggest(word, faultTargetWords);
    const likely = completed.length > 0 || near === undefined ? completed : [near];
    const hint = likely.length > 0 ? `did you mean ${likely.join(' or ')}?` : `use ${faultTargetWords.join(', ')}`;
    return usage(`"${word}" is neither an endpoint nor an event`, hint);
  });
}

export function eventsIn(text: string): readonly EventName[] {
  return namesIn(text, eventWords, (word) => unknownEvent(word, [...eventWords.keys()]));
}

/** The option --type of a list of events. */
export const eventType = {
  word: 'events',
  text: 'only these, comma-separated; message means its family',
  known: [...eventWords.keys()],
  check: (word: string) => void eventsIn(word),
};

/** The words that name an endpoint. */
export function wordsForEndpoint(name: EndpointName): readonly string[] {
  return Object.values(wordsOf[name]);
}

export function unknownEvent(word: string, words: readonly string[] = eventNames): Error {
  const near = suggest(word, words);
  return usage(`"${word}" is not an event`, near ? `did you mean ${near}?` : `use ${words.join(', ')}`);
}

/** The fewest words that name these endpoints and events. */
export function wordsFor(names: readonly Name[]): string {
  const largest = [...faultWords].sort(([, a], [, b]) => b.length - a.length);
  let left = names;
  const words = largest.filter(([, named]) => {
    if (!named.every((name) => left.includes(name))) return false;
    left = left.filter((name) => !named.includes(name));
    return true;
  });
  return words.map(([word]) => word).join(',');
}

function namesIn<N>(text: string, words: ReadonlyMap<string, readonly N[]>, unknown: (word: string) => Error) {
  const names = text.split(',').flatMap((part) => {
    const word = part.trim();
    const named = words.get(word);
    if (!named) throw unknown(word);
    return named;
  });
  return [...new Set(names)];
}
