import { findRows, type Row } from '../../cli/output/rows.ts';
import { endpointNames, endpoints, type ListName } from '../../contract/endpoints.ts';
import { isRecord } from '../../contract/readers.ts';
import { statuses } from '../../contract/statuses.ts';
import { type Clause, clause, type Judged, judged } from './judge.ts';
import {
  type Answer,
  described,
  isPlain,
  isSuccess,
  lastOf,
  type Observations,
  sightingIn,
  valueOf,
} from './observations.ts';
import { lists, oneContact, type Probe } from './probes.ts';

/** Everything that the document leaves open, in its order. */
export const gaps: readonly Clause[] = [
  fields('listContacts', 'contact'),
  fields('listTemplates', 'template'),
  fields('listCampaigns', 'campaign'),
  untried('send-answer', '§2', 'fields of the send-template answer other than message_id', 'no message is sent'),
  untried('message-states', '§3', 'states of a message', 'no endpoint returns them; the events name outcomes'),
  shape('listContacts', 'contact'),
  shape('listTemplates', 'template'),
  shape('listCampaigns', 'campaign'),
  clause('pagination', '§4', 'pagination of the contacts', pagination),
  clause('query', '§4', 'query parameters; limit=1 was tried on the contacts', limitOne),
  created('contact-status', 'success status'),
  created('contact-answer', 'response body'),
  created('contact-body', 'request body'),
  untried('announced', '§4', 'paths, methods and shapes of announced features', 'paths are not guessed'),
  clause('key-scope', '§5.10, §8.4', 'what this key may do, by its scope and its plan', permissions),
  untried(
    'webhooks',
    '§6',
    'registration, payloads, signing and retries of events',
    'bizmsg webhooks listen shows them',
  ),
  clause('error-body', '§7', 'shape of error bodies', errorBodies),
  clause('other-errors', '§7', 'error statuses besides the six that are shown', otherErrors),
  untried('quota', '§8.2', 'the answer once the monthly quota is used up', 'it is not used up on purpose'),
  clause('rate-headers', '§8.3', 'rate-limit headers', (seen) =>
    found(headersLike(seen, /rate-?limit|^retry-after$|quota/), 'no header is about the rate limit'),
  ),
  untried('minute-window', '§8.3', 'how the minute is measured', 'no burst is made'),
  clause('versioning', '§9', 'versioning scheme and deprecation', (seen) =>
    found(headersLike(seen, /version|^deprecation$|^sunset$/), 'no header is about a version'),
  ),
];

function fields(name: ListName, kind: string): Clause {
  const find = inAnswer(lists[name], (body) => fieldsOf(findRows(body) ?? []), 'no record was found in the list');
  return clause(`${kind}-fields`, '§2', `fields of the ${kind} record`, find);
}

function shape(name: ListName, kind: string): Clause {
  const find = inAnswer(lists[name], (body) => wrappingOf(body, findRows(body)));
  return clause(`${kind}-list`, '§4', `shape of the list of ${kind}s`, find);
}

function created(id: string, what: string): Clause {
  return untried(id, '§4', `${what} of POST ${endpoints.createContact.path}`, 'no contact is created');
}

/** A gap that cannot be explored safely or from here. */
function untried(id: string, section: string, what: string, why: string): Clause {
  return clause(id, section, what, judged('open', why));
}

function found(lines: readonly string[], otherwise = 'not observed'): Judged {
  return lines.length > 0 ? judged('found', ...lines) : judged('open', otherwise);
}

/** Reads the JSON of a successful answer. */
function inAnswer(
  probe: Probe,
  read: (body: unknown) => readonly string[],
  otherwise?: string,
): (seen: Observations) => Judged {
  return (seen) => {
    const sighting = sightingIn(seen, probe);
    const answer = lastOf(sighting);
    if (!answer) return judged('open', sighting?.notTried ?? sighting?.failure?.message ?? 'it was not asked');
    const { status, content } = answer;
    if (!isSuccess(status)) return judged('open', `it was answered ${status}`);
    if (content.kind === 'other') return judged('open', 'the answer is not JSON');
    return found(read(content.kind === 'empty' ? undefined : content.value), otherwise);
  };
}

function pagination(seen: Observations): Judged {
  const lines = [lists.listContacts, oneContact].flatMap((probe) => {
    const answer = lastOf(sightingIn(seen, probe));
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

function limitOne(seen: Observations): Judged {
  const [all, one] = [lists.listContacts, oneContact].map((probe) => recordsIn(seen, probe));
  const status = lastOf(sightingIn(seen, oneContact))?.status;
  if (status !== undefined && status >= 400) return found([`limit=1 is answered ${status}`]);
  if (all === undefined || one === undefined) return judged('open', 'no list of records was found');
  if (all < 2) return judged('open', 'the account has fewer than two contacts');
  return found([one === 1 ? 'limit=1 gives one record' : 'limit=1 changes nothing']);
}

function recordsIn(seen: Observations, probe: Probe): number | undefined {
  const content = lastOf(sightingIn(seen, probe))?.content;
  return content?.kind === 'json' ? findRows(content.value)?.length : undefined;
}

/** How each endpoint answers this key. A refused body shows that the key may call it. */
function permissions(seen: Observations): Judged {
  return found(
    endpointNames.flatMap((name) => {
      const status = lastOf(seen.all.find(({ probe }) => probe.endpoint === name && probe.key === 'own'))?.status;
      const { method, path } = endpoints[name];
      return status === undefined ? [] : [`${method} ${path}: ${permission(status)}`];
    }),
  );
}

function permission(status: number): string {
  if (status === 401 || status === 402 || status === 403) return `refused with ${status}`;
  return (status >= 200 && status < 300) || status === 400 || status === 422 ? 'allowed' : `answered ${status}`;
}

/** `401, application/problem+json, status: number, detail: string` */
function errorBodies({ all }: Observations): Judged {
  const errors = all.flatMap(({ answers }) => answers).filter(({ status }) => status >= 400);
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

function otherErrors({ all }: Observations): Judged {
  const others = all.flatMap(({ probe, answers }) =>
    answers.flatMap(({ status }) => (status < 400 || status in statuses ? [] : [`${status}: ${probe.name}`])),
  );
  return found([...new Set(others)], 'none was seen');
}

function headersLike({ all }: Observations, pattern: RegExp): readonly string[] {
  const names = all
    .flatMap(({ answers }) => answers)
    .flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase()))
    .filter((name) => pattern.test(name));
  return [...new Set(names)].map((name) => fieldName(name)).sort();
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
