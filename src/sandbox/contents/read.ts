import * as read from '../../contract/readers.ts';
import { isRecord, Mismatch, type Reader } from '../../contract/readers.ts';
import { placeholdersIn, renderedText } from '../../contract/template-text.ts';
import { attributes, fields, integer, oneOf, optional, unknownName } from '../readers.ts';
import { campaignStatuses, templateStatuses } from '../state/records.ts';

/** Records to fill a sandbox with. */
export type NewContents = ReturnType<typeof readContents>['contents'];

const kinds = ['contacts', 'templates', 'campaigns'] as const;

/** Reads everything, to report all problems together, each with its JSON pointer. */
export function readContents(value: unknown) {
  const given = isRecord(value) ? value : {};
  const problems = nameProblems(Object.keys(given));
  const contents = {
    contacts: records('contacts', contact, ({ phone, id }) => ({ phone, id })),
    templates: records('templates', template, ({ name, id }) => ({ name, id })),
    campaigns: records('campaigns', campaign, ({ name, id }) => (id === undefined ? { name } : { id })),
  };
  return { contents, problems };

  function records<T>(kind: (typeof kinds)[number], reader: Reader<T>, keysOf: KeysOf<T>): readonly T[] {
    const { [kind]: list = [] } = given;
    if (!Array.isArray(list)) {
      problems.push(`/${kind} must be an array`);
      return [];
    }
    const places = new Map<string, string>();
    return list.flatMap((value: unknown, index) => {
      const at = `/${kind}/${index}`;
      try {
        const record = reader(value, at);
        checkUnique(keysOf(record), at, places);
        return [record];
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
        problems.push(`${error.at} ${error.message}`);
        return [];
      }
    });
  }
}

const mostShown = 100;

/** At most 100 problems, then how many more there are. */
export function shownProblems(problems: readonly string[]): readonly string[] {
  const more = problems.length - mostShown;
  return more > 0 ? [...problems.slice(0, mostShown), `and ${more} more`] : problems;
}

function nameProblems(names: readonly string[]): string[] {
  const known: readonly string[] = kinds;
  if (!names.some((name) => known.includes(name)))
    return [`must be an object with at least one of ${kinds.join(', ')}`];
  return names.filter((name) => !known.includes(name)).map((name) => `/${name} ${unknownName(name, known)}`);
}

/** The fields of a record that must be unique. */
type KeysOf<T> = (record: T) => Readonly<Record<string, string | undefined>>;

function checkUnique(keys: ReturnType<KeysOf<unknown>>, at: string, places: Map<string, string>): void {
  for (const [field, value] of Object.entries(keys)) {
    if (value === undefined) continue;
    const key = `${field} ${value}`;
    const before = places.get(key);
    if (before !== undefined) throw new Mismatch(at, `has the same ${field} as ${before}`);
    places.set(key, at);
  }
}

const contactFields = fields({
  id: optional(read.id),
  phone: read.phone,
  name: optional(read.string),
  tags: optional(read.list(read.string)),
  attributes: optional(attributes),
  created_at: optional(time),
});

function contact(value: unknown, at = '') {
  const { id, phone, name, tags = [], attributes = {}, created_at } = contactFields(value, at);
  return { id, phone, name, tags, attributes, created_at };
}

const templateFields = fields({
  id: optional(read.id),
  name: read.id,
  language: optional(read.id),
  category: optional(read.id),
  status: optional(oneOf(templateStatuses)),
  body: read.string,
  variables: optional(read.list(read.string)),
});

function template(value: unknown, at = '') {
  const { id, name, body, ...given } = templateFields(value, at);
  const { language = 'en_US', category = 'UTILITY', status = 'APPROVED', variables = placeholdersIn(body) } = given;
  const [unfilled] = placeholdersIn(renderedText(body, variables, Array(variables.length).fill('')));
  if (unfilled !== undefined) {
    const problem = 'without a variable: number them from {{1}} without gaps, or name all in variables';
    throw new Mismatch(`${at}/body`, `has {{${unfilled}}} ${problem}`);
  }
  return { id, name, language, category, status, body, variables };
}

const counts = read.object({ sent: integer(), delivered: integer(), read: integer(), failed: integer() });

const campaignFields = fields({
  id: optional(read.id),
  name: read.id,
  template: read.id,
  status: optional(oneOf(campaignStatuses)),
  audience: optional(integer()),
  counts: optional(counts),
  created_at: optional(time),
});

function campaign(value: unknown, at = '') {
  const { id, name, template, created_at, ...given } = campaignFields(value, at);
  const { status = 'SCHEDULED', audience = 0, counts = { sent: 0, delivered: 0, read: 0, failed: 0 } } = given;
  return { id, name, template, status, audience, counts, created_at };
}

/** Records to load; missing fields are generated. */
export interface Contents {
  readonly contacts?: readonly ReturnType<typeof contactFields>[] | undefined;
  readonly templates?: readonly ReturnType<typeof templateFields>[] | undefined;
  readonly campaigns?: readonly ReturnType<typeof campaignFields>[] | undefined;
}

function time(value: unknown, at = ''): string {
  const date = new Date(read.string(value, at));
  if (Number.isNaN(date.getTime())) throw new Mismatch(at, 'must be a time, such as 2026-05-01T12:00:00Z');
  return date.toISOString();
}
