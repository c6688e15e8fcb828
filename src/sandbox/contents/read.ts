import { suggest } from '../../base/suggest.ts';
import * as read from '../../contract/readers.ts';
import { isRecord, Mismatch, type Reader } from '../../contract/readers.ts';
import { attributes } from '../api/bodies.ts';
import { oneOf } from '../control/inputs.ts';
import type { Campaign, Contact, Template } from '../state/records.ts';

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

/** A record that may lack what the sandbox can give it. */
type Given<T, Optional extends keyof T> = Omit<T, Optional> & { readonly [K in Optional]?: T[K] | undefined };
type GivenContact = Given<Contact, 'id' | 'created_at'>;
type GivenTemplate = Given<Template, 'id'>;
type GivenCampaign = Given<Campaign, 'id' | 'created_at'>;

function contact(value: unknown, at = ''): GivenContact {
  const fields = fieldsOf(value, at, ['id', 'phone', 'name', 'tags', 'attributes', 'created_at']);
  return {
    id: fields('id', read.id, undefined),
    phone: fields('phone', read.phone),
    name: fields('name', read.string, undefined),
    tags: fields('tags', read.list(read.string), []),
    attributes: fields('attributes', attributes, {}),
    created_at: fields('created_at', time, undefined),
  };
}

function template(value: unknown, at = ''): GivenTemplate {
  const fields = fieldsOf(value, at, ['id', 'name', 'language', 'category', 'status', 'body', 'variables']);
  const body = fields('body', read.string);
  return {
    id: fields('id', read.id, undefined),
    name: fields('name', read.id),
    language: fields('language', read.id, 'en_US'),
    category: fields('category', read.id, 'UTILITY'),
    status: fields('status', oneOf(['APPROVED', 'PENDING', 'REJECTED']), 'APPROVED'),
    body,
    variables: fields('variables', read.list(read.string), variablesIn(body)),
  };
}

function campaign(value: unknown, at = ''): GivenCampaign {
  const fields = fieldsOf(value, at, ['id', 'name', 'template', 'status', 'audience', 'counts', 'created_at']);
  return {
    id: fields('id', read.id, undefined),
    name: fields('name', read.id),
    template: fields('template', read.id),
    status: fields('status', oneOf(['SCHEDULED', 'RUNNING', 'COMPLETED']), 'SCHEDULED'),
    audience: fields('audience', whole, 0),
    counts: fields('counts', counts, noCounts),
    created_at: fields('created_at', time, undefined),
  };
}

const noCounts = { sent: 0, delivered: 0, read: 0, failed: 0 };
const counts = read.object({ sent: whole, delivered: whole, read: whole, failed: whole });

/** A field must be there, unless something stands in for it. */
interface Fields {
  <T>(name: string, reader: Reader<T>): T;
  <T, O>(name: string, reader: Reader<T>, otherwise: O): T | O;
}

/** A field that is not known is most likely another one, mistyped. */
function fieldsOf(value: unknown, at: string, known: readonly string[]): Fields {
  if (!read.isRecord(value)) throw new read.Mismatch(at, 'must be an object');
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new read.Mismatch(`${at}/${unknown}`, whyUnknown(unknown, known));
  const fields = value;
  return field;

  function field<T>(name: string, reader: Reader<T>): T;
  function field<T, O>(name: string, reader: Reader<T>, otherwise: O): T | O;
  function field(name: string, reader: Reader<unknown>, ...otherwise: readonly unknown[]): unknown {
    if (fields[name] !== undefined) return reader(fields[name], `${at}/${name}`);
    if (otherwise.length === 0) throw new read.Mismatch(`${at}/${name}`, 'is missing');
    return otherwise[0];
  }
}

export function whyUnknown(name: string, known: readonly string[]): string {
  const near = suggest(name, known);
  return `is not known; ${near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`}`;
}

/** What a template asks for: {{1}}, {{2}}… */
function variablesIn(body: string): readonly string[] {
  return [...new Set([...body.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name))];
}

function time(value: unknown, at = ''): string {
  const date = new Date(read.string(value, at));
  if (Number.isNaN(date.getTime())) throw new read.Mismatch(at, 'must be a time, such as 2026-05-01T12:00:00Z');
  return date.toISOString();
}

function whole(value: unknown, at = ''): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new read.Mismatch(at, 'must be a whole number');
}
