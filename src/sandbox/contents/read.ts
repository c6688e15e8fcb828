import { isRecord, Mismatch, type Reader } from '../../contract/readers.ts';
import {
  campaign,
  contact,
  type GivenCampaign,
  type GivenContact,
  type GivenTemplate,
  template,
  whyUnknown,
} from './entries.ts';

/** What a sandbox can be filled with. */
export interface GivenContents {
  readonly contacts: readonly GivenContact[];
  readonly templates: readonly GivenTemplate[];
  readonly campaigns: readonly GivenCampaign[];
}

export interface ReadContents {
  readonly contents: GivenContents;
  /** Each with its place; where there is one, nothing is to be taken. */
  readonly problems: readonly string[];
  /** What an export has besides, and nobody can put back. */
  readonly ignored: readonly string[];
}

const taken = ['contacts', 'templates', 'campaigns'] as const;
const ignorable: readonly string[] = ['messages', 'events'];

/** Reads all of it, so that whatever is wrong can be said at once. */
export function readContents(value: unknown): ReadContents {
  const fields = isRecord(value) ? value : {};
  const names = Object.keys(fields);
  const problems = wrongNames(names);
  const contents: GivenContents = {
    contacts: entries('contacts', contact, ({ phone, id }) => ({ phone, id })),
    templates: entries('templates', template, ({ name, id }) => ({ name, id })),
    campaigns: entries('campaigns', campaign, ({ name, id }) => (id === undefined ? { name } : { id })),
  };
  return { contents, problems, ignored: names.filter((name) => ignorable.includes(name) && !isEmpty(fields[name])) };

  function entries<T>(kind: (typeof taken)[number], reader: Reader<T>, keysOf: KeysOf<T>): readonly T[] {
    const { [kind]: given = [] } = fields;
    const read = readEntries(given, `/${kind}`, reader, keysOf);
    for (const problem of read.problems) problems.push(problem);
    return read.entries;
  }
}

const mostTold = 100;

/** Nobody reads on after so many. */
export function told(problems: readonly string[]): readonly string[] {
  const more = problems.length - mostTold;
  return more > 0 ? [...problems.slice(0, mostTold), `and ${more} more`] : problems;
}

function wrongNames(names: readonly string[]): string[] {
  const known: readonly string[] = [...taken, ...ignorable];
  if (!names.some((name) => known.includes(name)))
    return [`an object with ${taken.join(', ')}, or some of these, is needed`];
  return names.filter((name) => !known.includes(name)).map((name) => `/${name} ${whyUnknown(name, known)}`);
}

/** What no two entries may have in common. */
type KeysOf<T> = (entry: T) => Readonly<Record<string, string | undefined>>;

function readEntries<T>(given: unknown, place: string, reader: Reader<T>, keysOf: KeysOf<T>) {
  const [entries, problems, places]: [T[], string[], Map<string, string>] = [[], [], new Map()];
  if (!Array.isArray(given)) return { entries, problems: [`${place} must be an array`] };
  for (const [index, value] of given.entries()) {
    const at = `${place}/${index}`;
    try {
      const entry = reader(value, at);
      checkKeys(keysOf(entry), at, places);
      entries.push(entry);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      problems.push(`${error.at} ${error.message}`);
    }
  }
  return { entries, problems };
}

function checkKeys(keys: ReturnType<KeysOf<unknown>>, at: string, places: Map<string, string>): void {
  for (const [field, value] of Object.entries(keys)) {
    if (value === undefined) continue;
    const key = `${field} ${value}`;
    const before = places.get(key);
    if (before !== undefined) throw new Mismatch(at, `has the same ${field} as ${before}`);
    places.set(key, at);
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
