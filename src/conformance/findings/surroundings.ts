import { endpoints } from '../../contract/endpoints.ts';
import { statuses } from '../../contract/statuses.ts';
import { isRecord } from '../../contract/readers.ts';
import { type Answer, described } from '../answer.ts';
import { harmless, named } from '../probes.ts';
import { lastOf, type Sightings } from '../sightings.ts';
import { fieldName, fieldsOf, typeName } from './fields.ts';
import { type Found, found, type Gap, type Look, untried } from './finding.ts';

/** What every answer tells, whatever was asked. */
export const surroundingGaps: readonly Gap[] = [
  untried('message-states', '§3', 'states of a message', 'no endpoint tells them; the events name outcomes'),
  untried('announced', '§4', 'paths, methods and shapes of what is announced', 'paths are not guessed'),
  { id: 'key-scope', section: '§5.10, §8.4', what: 'what this key may do, by its scope and its plan', find: allowed },
  untried(
    'webhooks',
    '§6',
    'registration, payloads, signing and retries of events',
    'bizmsg webhooks listen shows them',
  ),
  { id: 'error-body', section: '§7', what: "shape of an error's body", find: errorBodies },
  { id: 'other-errors', section: '§7', what: 'error statuses besides the six that are shown', find: otherErrors },
  untried('quota', '§8.2', 'what comes when the month is used up', 'it is not used up on purpose'),
  {
    id: 'rate-headers',
    section: '§8.3',
    what: 'headers about the rate',
    find: ({ seen }) => found(headersLike(seen, /rate-?limit|^retry-after$|quota/), 'no header speaks of a rate'),
  },
  untried('minute-window', '§8.3', 'how the minute is measured', 'no burst is made'),
  {
    id: 'versioning',
    section: '§9',
    what: 'versioning scheme and deprecation',
    find: ({ seen }) => found(headersLike(seen, /version|^deprecation$|^sunset$/), 'no header speaks of a version'),
  },
];

/** Of each endpoint, how it answers this key; a refused body shows that it may be called. */
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

/** Two levels of them: many services wrap an error in one member. */
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
