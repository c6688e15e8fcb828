import { endpoints, type PostName } from '../../contract/endpoints.ts';
import { modeOf } from '../../contract/keys.ts';
import { type ErrorStatus, statuses } from '../../contract/statuses.ts';
import { gaps } from './gaps.ts';
import { type Clause, clause, type Judged, judged } from './judge.ts';
import {
  type Answer,
  isJson,
  isSuccess,
  lastOf,
  type Observations,
  type Sighting,
  sightingIn,
} from './observations.ts';
import {
  brokenContact,
  brokenMessage,
  incomplete,
  invalidKey,
  keyless,
  lists,
  nowhere,
  probesOf,
  wrongTypes,
} from './probes.ts';

const noWrite = 'no valid message or contact is posted';
const elsewhere = 'bizmsg webhooks listen and webhooks expect show it';

/** All statements of the document, in its order, and then what it leaves open. */
export const clauses: readonly Clause[] = [
  clause('https', '§1', 'the interface is REST over HTTPS', usesHttps),
  clause('json', '§1', 'every endpoint returns JSON', { every: isJson }),
  clause('statuses', '§1', 'standard HTTP status codes are used', { every: isRegistered }),
  hidden(
    'two-environments',
    '§1, §3',
    'two environments; sandbox simulates, and sends nothing real',
    'no call shows it',
  ),
  hidden('message-id', '§2, §4', 'the answer is an object with message_id, a string', noWrite),
  clause('field-types', '§2, §4, §7', 'to and template are strings, params is an array of strings', {
    probes: [wrongTypes],
    expect: 400,
  }),
  hidden('go-live', '§3', 'switching a key to live needs no change to client code', 'needs the account owner'),
  endpoint('sendTemplate'),
  hidden('send-status', '§4', 'send-template succeeds with 200', noWrite),
  listed('listContacts', 'lists contacts'),
  endpoint('createContact'),
  hidden('contact-created', '§4', `POST ${endpoints.createContact.path} creates a contact`, noWrite),
  listed('listTemplates', 'lists message templates'),
  listed('listCampaigns', 'lists campaigns'),
  clause('missing-field', '§4, §7', 'send-template without a required field is answered 400', {
    probes: incomplete,
    expect: 400,
  }),
  clause('malformed-message', '§4, §7', 'a malformed body of send-template is answered 400', {
    probes: [brokenMessage],
    expect: 400,
  }),
  hidden('content-type', '§4', 'requests with a body carry a JSON content type', 'it binds the client; bizmsg does'),
  hidden('sandbox-send', '§4, §5.9', 'a sandbox key never sends real messages', 'only a phone shows it'),
  hidden('contact-event', '§4, §6', 'a contact that is created fires contact.created', elsewhere),
  clause('bearer', '§5.1', 'a key in "Authorization: Bearer" identifies the caller', isKnownByKey),
  clause('key-prefix', '§5.2', 'a key begins with sk_test_ or with sk_live_', hasPrefix),
  clause('missing-key', '§5.1, §5.6, §7', 'a missing key is rejected with 401', { probes: keyless, expect: 401 }),
  clause('invalid-key', '§5.6, §7', 'an invalid key is rejected with 401', { probes: invalidKey, expect: 401 }),
  occurrence(403, '§5.7, §7', 'either the plan or the scope refuses it'),
  hidden('key-origin', '§5.3', 'keys are made per project, once the number is verified', 'it is in the dashboard'),
  hidden(
    'scopes',
    '§5.4',
    'a key is read-only, send-only or full',
    'no call returns its scope; what it may do is in §5.10',
  ),
  hidden('revoked-key', '§5.5, §5.6', 'a revoked key is rejected with 401', 'needs a revoked key'),
  hidden('audit-log', '§5.8', 'every call is in an audit log of its key', 'it is in the dashboard'),
  hidden('events', '§6', 'eight events are posted, in sandbox as in production', elsewhere),
  hidden('test-numbers', '§6', 'three test numbers: delivers, fails, delivers after 5 s', 'the numbers are not named'),
  clause('malformed-contact', '§7', 'a malformed body of a contact is answered 400', {
    probes: [brokenContact],
    expect: 400,
  }),
  clause('unknown-resource', '§7, §2', 'a resource that does not exist is answered 404', {
    probes: nowhere,
    expect: 404,
  }),
  occurrence(429, '§7, §8.1', 'others may have used the rate limit'),
  occurrence(500, '§7', 'report faults that persist to support'),
  hidden('plan-limits', '§8', 'each plan has its requests a minute and messages a month', 'no burst is made'),
  clause('no-version-segment', '§9', 'the paths carry no version segment', hasNoVersion),
  hidden('stability', '§9', 'existing behavior does not break', 'needs checks over time'),
  ...gaps,
];

function endpoint(name: PostName): Clause {
  const statement = `POST ${endpoints[name].path} is an endpoint`;
  return clause(name, '§4', statement, { probes: probesOf(name), expect: 'exists' });
}

/** The document does not show the status. */
function listed(name: keyof typeof lists, what: string): Clause {
  return clause(name, '§4', `GET ${endpoints[name].path} ${what}`, { probes: [lists[name]], expect: 'success' });
}

/** An answer that any call may get and that is not provoked. */
function occurrence(status: ErrorStatus, section: string, remark: string): Clause {
  const cause = statuses[status].cause.replace(/\.(?: .*)?$/, '');
  const statement = `${status}: ${cause.charAt(0).toLowerCase()}${cause.slice(1)}`;
  return clause(`status-${status}`, section, statement, { occurs: status, remark });
}

/** A statement that no client can check from outside. */
function hidden(id: string, section: string, statement: string, why: string): Clause {
  return clause(id, section, statement, judged('not checkable', why));
}

function usesHttps({ address }: Observations): Judged {
  return address.startsWith('https:') ? judged('holds') : judged('unclear', 'this machine is called over plain http');
}

/** In IANA's registry. */
function isRegistered({ status }: Answer): boolean {
  return /^(?:10[0-4]|20[0-8]|226|30[0-8]|40\d|41[0-8]|42[1-689]|431|451|50[0-8]|51[01])$/.test(String(status));
}

function hasPrefix({ shownKey }: Observations): Judged {
  return modeOf(shownKey) === undefined
    ? judged('differs', 'it begins with neither, and is accepted')
    : judged('holds');
}

function isKnownByKey({ all }: Observations): Judged {
  const telling = all.filter(dependsOnKey);
  const known = telling.filter(({ probe }) => probe.key === 'own');
  if (known.every((sighting) => lastOf(sighting)?.status === 401)) return judged('unclear');
  const isDifferent = known.some((one) =>
    telling.some(
      (other) =>
        other.probe.key !== 'own' &&
        other.probe.endpoint === one.probe.endpoint &&
        lastOf(other)?.status !== lastOf(one)?.status,
    ),
  );
  return isDifferent ? judged('holds') : judged('unclear', 'the answer is the same without a key, or with any key');
}

/** Faults and rate limits do not depend on the key. */
function dependsOnKey(sighting: Sighting): boolean {
  const status = lastOf(sighting)?.status;
  return status !== undefined && status !== 429 && status < 500;
}

function hasNoVersion(seen: Observations): Judged {
  const path = URL.canParse(seen.address) ? new URL(seen.address).pathname : '/';
  const segment = path.split('/').find((part) => /^v\d+(?:\.\d+)*$/i.test(part));
  if (segment !== undefined) return judged('differs', `the base URL has /${segment} in it`);
  const isAnswered = Object.values(lists).some((list) => isSuccess(lastOf(sightingIn(seen, list))?.status ?? 0));
  return isAnswered ? judged('holds') : judged('unclear', 'no list was answered');
}
