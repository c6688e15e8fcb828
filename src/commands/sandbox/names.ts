import { suggest } from '../../base/suggest.ts';
import type { EndpointName } from '../../contract/endpoints.ts';
import { type EventName, eventNames } from '../../contract/events.ts';
import { usage } from '../../base/errors.ts';

export type Name = EndpointName | EventName;

/** As the commands are called that use them. */
const endpointWords: Readonly<Record<string, EndpointName>> = {
  'send-template': 'sendTemplate',
  'contacts-list': 'listContacts',
  'contacts-create': 'createContact',
  'templates-list': 'listTemplates',
  'campaigns-list': 'listCampaigns',
} satisfies Record<string, EndpointName>;

const familyOf = (name: EventName) => name.replace(/\..*/, '');

/** What may be typed, and the names that it means. */
const words: ReadonlyMap<string, readonly Name[]> = new Map<string, readonly Name[]>([
  ...Object.entries(endpointWords).map(([word, name]) => [word, [name]] as const),
  ['requests', Object.values(endpointWords)],
  ...eventNames.map((name) => [name, [name]] as const),
  ...eventNames
    .map(familyOf)
    .map((family) => [family, eventNames.filter((name) => familyOf(name) === family)] as const),
  ['events', eventNames],
]);

/** What may be typed. */
export const nameWords: readonly string[] = [...words.keys()];

/** The names that words with commas between mean. */
export function names(text: string): readonly Name[] {
  return [...new Set(text.split(',').flatMap((word) => meant(word.trim())))];
}

/** The same names in as few words as can be. */
export function wordsOf(names: readonly unknown[]): string {
  const larger = [...words].sort(([, a], [, b]) => b.length - a.length);
  let left = names;
  const used = larger.filter(([, meant]) => {
    if (!meant.every((name) => left.includes(name))) return false;
    left = left.filter((name) => !meant.some((one) => one === name));
    return true;
  });
  return used.map(([word]) => word).join(',');
}

function meant(word: string): readonly Name[] {
  const found = words.get(word);
  if (found) return found;
  const near = suggest(word, nameWords);
  // contacts is nearer to the events of a contact than to the endpoints that it begins.
  const begun = word === '' ? [] : nameWords.filter((one) => one.startsWith(word));
  const likely = begun.length > 0 || near === undefined ? begun : [near];
  const hint = likely.length > 0 ? `did you mean ${likely.join(' or ')}?` : `use ${nameWords.join(', ')}`;
  throw usage(`"${word}" is neither an endpoint nor an event`, hint);
}
