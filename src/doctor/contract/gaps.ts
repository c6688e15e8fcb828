import { findRows, type Row } from '../../cli/output/rows.ts';
import { endpoints, type ListName } from '../../contract/endpoints.ts';
import { isRecord } from '../../contract/readers.ts';
import { statuses } from '../../contract/statuses.ts';
import {
  type Answer,
  described,
  isPlain,
  isSuccess,
  lastOf,
  notTried,
  type Sightings,
  valueOf,
} from './observations.ts';
import { harmless, lists, named, oneContact, type Planned, type Probe } from './probes.ts';
import type { Facts } from './verdict.ts';

/** Everything that the document leaves open, in its order. */
export const gaps: readonly Gap[] = [
  fields('listContacts', 'contact'),
  fields('listTemplates', 'template'),
  fields('listCampaigns', 'campaign'),
  {
    id: 'send-answer',
    section: '§2',
    what: 'fields of the send-template answer other than message_id',
    find: (look) => written(look, look.facts.writes.sendTemplate, (body) => found(othersIn(body))),
  },
  untried('message-states', '§3', 'states of a message', 'no endpoint returns them; the events name outcomes'),
  shape('listContacts', 'contact'),
  shape('listTemplates', 'template'),
  shape('listCampaigns', 'campaign'),
  { id: 'pagination', section: '§4', what: 'pagination of the contacts', find: pagination },
  { id: 'query', section: '§4', what: 'query parameters; limit=1 was tried on the contacts', find: limitOne },
  {
    id: 'contact-status',
    section: '§4',
    what: 'success status of POST /api/public/contacts',
    find: (look) => written(look, look.facts.writes.createContact, (_, status) => found([String(status)])),
  },
  {
    id: 'contact-answer',
    section: '§4',
    what: 'response body of POST /api/public/contacts',
    find: (look) => written(look, look.facts.writes.createContact, (body) => found(contentsOf(body))),
  },
  { id: 'contact-body', section: '§4', what: 'request body of POST /api/public/contacts', find: accepted },
  untried('announced', '§4', 'paths, methods and shapes of announced features', 'paths are not guessed'),
  { id: 'key-scope', section: '§5.10, §8.4', what: 'what this key may do, by its scope and its plan', find: allowed },
  untried(
    'webhooks',
    '§6',
    'registration, payloads, signing and retries of events',
    'bizmsg webhooks listen shows them',
  ),
  { id: 'error-body', section: '§7', what: 'shape of error bodies', find: errorBodies },
  { id: 'other-errors', section: '§7', what: 'error statuses besides the six that are shown', find: otherErrors },
  untried('quota', '§8.2', 'the answer once the monthly quota is used up', 'it is not used up on purpose'),
  {
    id: 'rate-headers',
    section: '§8.3',
    what: 'rate-limit headers',
    find: ({ seen }) =>
      found(headersLike(seen, /rate-?limit|^retry-after$|quota/), 'no header is about the rate limit'),
  },
  untried('minute-window', '§8.3', 'how the minute is measured', 'no burst is made'),
  {
    id: 'versioning',
    section: '§9',
    what: 'versioning scheme and deprecation',
    find: ({ seen }) => found(headersLike(seen, /version|^deprecation$|^sunset$/), 'no header is about a version'),
  },
];

function fields(name: ListName, kind: string): Gap {
  return {
    id: `${kind}-fields`,
    section: '§2',
    what: `fields of the ${kind} record`,
    find: ({ seen }) =>
      fromSuccess(seen, lists[name], (body) =>
        found(fieldsOf(findRows(body) ?? []), 'no record was found in the list'),
      ),
  };
}

function shape(name: ListName, kind: string): Gap {
  return {
    id: `${kind}-list`,
    section: '§4',
    what: `shape of the list of ${kind}s`,
    find: ({ seen }) => fromSuccess(seen, lists[name], (body) => found(wrappingOf(body, findRows(body)))),
  };
}

function pagination({ seen }: Look): Found {
  const lines = [lists.listContacts, oneContact].flatMap((probe) => {
    const answer = lastOf(seen.of(probe));
    if (!answer) return [];
    const link = /;\s*rel="?next\b/i.test(valueOf(answer.headers, 'link') ?? '') ? ['a Link header, rel="next"'] : [];
    return answer.content.kind === 'json' ? [...link, ...cursorsIn(answer.content.value)] : link;
  });
  return found([...new Set(lines)], 'neither a Link header nor a cursor was seen');
}

/** Cursors outside the records. */
function cursorsIn(body: unknown): readonly string[] {
  if (!isRecord(body)) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    /next|cursor|page|more|total|offset/i.test(name) && !isRecord(value)
      ? [`a member ${fieldName(name)}`]
      : cursorsIn(value),
  );
}

function limitOne({ seen }: Look): Found {
  const [all, one] = [lists.listContacts, oneContact].map((probe) => recordsIn(seen, probe));
  const status = lastOf(seen.of(oneContact))?.status;
  if (status !== undefined && status >= 400) return found([`limit=1 is answered ${status}`]);
  if (all === undefined || one === undefined) return notFound('no list of records was found');
  if (all < 2) return notFound('the account has fewer than two contacts');
  return found([one === 1 ? 'limit=1 gives one record' : 'limit=1 changes nothing']);
}

function recordsIn(seen: Sightings, probe: Probe): number | undefined {
  const content = lastOf(seen.of(probe))?.content;
  return content?.kind === 'json' ? findRows(content.value)?.length : undefined;
}

function written({ seen }: Look, planned: Planned, read: (body: unknown, status: number) => Found): Found {
  if ('why' in planned) return notFound(planned.why);
  return fromSuccess(seen, planned.probe, (body, { status }) => read(body, status));
}

function othersIn(body: unknown): readonly string[] {
  const others = isRecord(body) ? fieldsOf([body]).filter((line) => !line.startsWith('message_id:')) : [];
  return others.length > 0 ? others : ['none'];
}

function contentsOf(body: unknown): readonly string[] {
  if (body === undefined) return ['nothing'];
  if (!isRecord(body)) return [`a ${typeName(body)}`];
  const lines = fieldsOf([body]);
  return lines.length > 0 ? lines : ['an object without members'];
}

/** Shows only that a body was accepted, not which fields are required. */
function accepted(look: Look): Found {
  const { createContact: contact } = look.facts.writes;
  return written(look, contact, () => {
    const sent: unknown = 'probe' in contact ? JSON.parse(contact.probe.body ?? 'null') : undefined;
    const names = isRecord(sent) ? Object.keys(sent).map((name) => fieldName(name)) : [];
    return found([`a body with ${names.join(', ')} is accepted`]);
  });
}

/** How each endpoint answers this key. A refused body shows that the key may call it. */
function allowed({ seen }: Look): Found {
  const asked = harmless.filter(({ key, endpoint }) => key === 'own' && endpoint !== undefined);
  const lines = Object.entries(endpoints).flatMap(([name, { method, path }]) => {
    const probe = asked.find(({ endpoint }) => endpoint === name);
    const status = probe && lastOf(seen.of(probe))?.status;
    return status === undefined ? [] : [`${method} ${path}: ${permission(status)}`];
  });
  return found(lines);
}

function permission(status: number): string {
  if (status === 401 || status === 402 || status === 403) return `refused with ${status}`;
  return (status >= 200 && status < 300) || status === 400 || status === 422 ? 'allowed' : `answered ${status}`;
}

/** `401, application/problem+json, status: number, detail: string` */
function errorBodies({ seen }: Look): Found {
  const errors = seen.all.flatMap(({ answers }) => answers).filter(({ status }) => status >= 400);
  const lines = new Set(errors.sort((one, other) => one.status - other.status).map((answer) => errorBody(answer)));
  return found([...lines]);
}

function errorBody(answer: Answer): string {
  const { content } = answer;
  return content.kind === 'json' ? `${described(answer)}, ${membersOf(content.value)}` : described(answer);
}

/** Two levels: many services wrap an error in one member. */
function membersOf(value: unknown): string {
  if (!isRecord(value)) return `a JSON ${typeName(value)}`;
  const inner = Object.entries(value).flatMap(([name, member]) =>
    isRecord(member) ? fieldsOf([member]).map((line) => `${fieldName(name)}.${line}`) : fieldsOf([{ [name]: member }]),
  );
  return inner.length === 0 ? 'an object without members' : inner.join(', ');
}

function otherErrors({ seen }: Look): Found {
  const others = seen.all.flatMap(({ probe, answers }) =>
    answers.flatMap(({ status }) => (status < 400 || status in statuses ? [] : [`${status}: ${named(probe)}`])),
  );
  return found([...new Set(others)], 'none was seen');
}

function headersLike(seen: Sightings, pattern: RegExp): readonly string[] {
  const names = seen.all
    .flatMap(({ answers }) => answers)
    .flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase()))
    .filter((name) => pattern.test(name));
  return [...new Set(names)].map((name) => fieldName(name)).sort();
}

interface Look {
  readonly seen: Sightings;
  readonly facts: Facts;
}

export interface Found {
  readonly found: readonly string[];
  /** Why nothing was found; null if something was. */
  readonly why: string | null;
}

/** A detail that the document leaves open, and how to find it out. */
export interface Gap {
  readonly id: string;
  readonly section: string;
  readonly what: string;
  readonly find: (look: Look) => Found;
}

function found(lines: readonly string[], otherwise = 'not observed'): Found {
  return { found: lines, why: lines.length > 0 ? null : otherwise };
}

const notFound = (why: string): Found => ({ found: [], why });

/** Reads the JSON of a successful answer. */
function fromSuccess(seen: Sightings, probe: Probe, read: (body: unknown, answer: Answer) => Found): Found {
  const sighting = seen.of(probe);
  const answer = lastOf(sighting);
  if (sighting?.isBarred) return notFound(notTried);
  if (!answer) return notFound(sighting?.failure?.message ?? 'it was not asked');
  if (!isSuccess(answer.status)) return notFound(`it was answered ${answer.status}`);
  if (answer.content.kind === 'other') return notFound('the answer is not JSON');
  return read(answer.content.kind === 'empty' ? undefined : answer.content.value, answer);
}

/** A gap that cannot be explored safely or from here. */
function untried(id: string, section: string, what: string, why: string): Gap {
  return { id, section, what, find: () => notFound(why) };
}

/** The fields that records have and the JSON types of their values, never a value: `name?: string | null`. */
function fieldsOf(records: readonly Row[]): readonly string[] {
  const types = new Map<string, Set<string>>();
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
    types.set(name, (types.get(name) ?? new Set()).add(typeName(value)));
  }
  const lines = [...types].map(([name, kinds]) => {
    const isAlways = records.every((record) => Object.hasOwn(record, name));
    return `${fieldName(name)}${isAlways ? '' : '?'}: ${[...kinds].sort().join(' | ')}`;
  });
  return [...new Set(lines)];
}

/** A member name. Unusual names are hidden, since they may be phone numbers or addresses. */
function fieldName(name: string): string {
  return /^[A-Za-z_$@-][\w$@.-]*$/.test(name) && isPlain(name) ? name : '(a name that is data)';
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The object around a list of records and its other members. */
function wrappingOf(body: unknown, records: readonly Row[] | undefined): readonly string[] {
  if (!isRecord(body)) return [Array.isArray(body) ? 'the array itself' : `a ${typeName(body)}`];
  const path = records && pathTo(body, records);
  const where = path === undefined ? [] : [`the records are at ${path.map((name) => `/${fieldName(name)}`).join('')}`];
  const beside = fieldsOf([body]).filter((line) => path === undefined || !line.startsWith(`${path[0]}:`));
  return ['an object', ...where, ...beside];
}

function pathTo(within: unknown, wanted: unknown): readonly string[] | undefined {
  if (within === wanted) return [];
  if (!isRecord(within)) return undefined;
  for (const [name, value] of Object.entries(within)) {
    const rest = pathTo(value, wanted);
    if (rest) return [name, ...rest];
  }
  return undefined;
}
