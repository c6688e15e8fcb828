import { type EndpointName, endpoints, isPost, type ListName, type PostName } from '../../contract/endpoints.ts';
import { modeOf } from '../../contract/keys.ts';
import { Mismatch } from '../../contract/readers.ts';
import { type ErrorStatus, statuses } from '../../contract/statuses.ts';
import {
  type Answer,
  described,
  isJson,
  isOfTheAccount,
  isSuccess,
  lastOf,
  notTried,
  type Sighting,
  type Sightings,
} from './observations.ts';
import {
  brokenContact,
  brokenMessage,
  incomplete,
  invalidKey,
  keyless,
  lists,
  named,
  nowhere,
  type Planned,
  posts,
  type Probe,
  withoutRecipient,
  wrongTypes,
} from './probes.ts';
import { type Bearing, type Clause, type Facts, type Judged, judged, together } from './verdict.ts';

const elsewhere = 'bizmsg webhooks listen and webhooks expect show it';

/** All statements of the document, in its order. */
export const clauses: readonly Clause[] = [
  {
    id: 'https',
    section: '§1',
    statement: 'the interface is REST over HTTPS',
    asked: 'the base URL',
    judged: 'it begins with https; plain http to this machine proves nothing',
    judge: (_, { address }) =>
      address.startsWith('https:') ? judged('holds') : judged('unclear', 'this machine is called over plain http'),
  },
  {
    id: 'json',
    section: '§1',
    statement: 'every endpoint returns JSON',
    asked: 'every answer of the five endpoints, errors included',
    judged: 'its content type is application/json or ends in +json, and its body is valid JSON',
    judge: (seen) => everyAnswer(seen, isJson),
  },
  {
    id: 'statuses',
    section: '§1',
    statement: 'standard HTTP status codes are used',
    asked: 'every answer of the five endpoints',
    judged: 'its status is registered for HTTP',
    judge: (seen) => everyAnswer(seen, ({ status }) => registered.test(String(status))),
  },
  hidden(
    'two-environments',
    '§1, §3',
    'two environments; sandbox simulates, and sends nothing real',
    'no call shows it',
  ),
  {
    id: 'message-id',
    section: '§2, §4',
    statement: 'the answer is an object with message_id, a string',
    asked: 'a message to the given number',
    judged: 'the client can read it',
    judge: (seen, { writes }) => written(seen, writes.sendTemplate, ({ content }) => messageId(content)),
  },
  {
    id: 'field-types',
    section: '§2, §4, §7',
    statement: 'to and template are strings, params is an array of strings',
    asked: 'a body with numbers in all three',
    judged: 'it is answered 400, like any malformed body',
    judge: (seen, facts) => bodyRefused(seen, facts, [wrongTypes]),
  },
  hidden('go-live', '§3', 'switching a key to live needs no change to client code', 'needs the account owner'),
  postClause('sendTemplate'),
  {
    id: 'send-status',
    section: '§4',
    statement: 'send-template succeeds with 200',
    asked: 'a message to the given number',
    judged: 'its status is 200',
    judge: (seen, { writes }) =>
      written(seen, writes.sendTemplate, ({ status }) => judged(status === 200 ? 'holds' : 'differs')),
  },
  listClause('listContacts', 'lists contacts'),
  postClause('createContact'),
  {
    id: 'contact-created',
    section: '§4',
    statement: `POST ${endpoints.createContact.path} creates a contact`,
    asked: 'a contact with the given number',
    judged: 'it is answered with success; a refusal proves nothing, since the document does not show the body',
    judge: (seen, { writes }) => written(seen, writes.createContact, () => judged('holds')),
  },
  listClause('listTemplates', 'lists message templates'),
  listClause('listCampaigns', 'lists campaigns'),
  {
    id: 'missing-field',
    section: '§4, §7',
    statement: 'send-template without a required field is answered 400',
    asked: 'a body without template, and one without to and with a template that does not exist',
    judged: '400; a 404 for the second proves nothing, since the order of checks is not documented',
    judge: (seen, facts) => bodyRefused(seen, facts, incomplete),
  },
  {
    id: 'malformed-message',
    section: '§4, §7',
    statement: 'a malformed body of send-template is answered 400',
    asked: 'incomplete JSON',
    judged: '400',
    judge: (seen, facts) => bodyRefused(seen, facts, [brokenMessage]),
  },
  hidden('content-type', '§4', 'requests with a body carry a JSON content type', 'it binds the client; bizmsg does'),
  hidden('sandbox-send', '§4, §5.9', 'a sandbox key never sends real messages', 'only a phone shows it'),
  hidden('contact-event', '§4, §6', 'a contact that is created fires contact.created', elsewhere),
  {
    id: 'bearer',
    section: '§5.1',
    statement: 'a key in "Authorization: Bearer" identifies the caller',
    asked: 'all requests with the key',
    judged: 'one answer is not 401, and differs from the answer without the key',
    judge: knownByKey,
  },
  {
    id: 'key-prefix',
    section: '§5.2',
    statement: 'a key begins with sk_test_ or with sk_live_',
    asked: 'the key in use',
    judged: 'it has one of the prefixes',
    judge: (_, { shownKey }) =>
      modeOf(shownKey) === undefined ? judged('differs', 'it begins with neither, and is accepted') : judged('holds'),
  },
  {
    id: 'missing-key',
    section: '§5.1, §5.6, §7',
    statement: 'a missing key is rejected with 401',
    asked: 'each endpoint without a key, the two POSTs with an invalid body',
    judged: '401; a 400 of a POST proves nothing, since the order of checks is not documented',
    judge: (seen, facts) => together(seen, keyless, keyRefused(seen, facts)),
  },
  {
    id: 'invalid-key',
    section: '§5.6, §7',
    statement: 'an invalid key is rejected with 401',
    asked: 'the lists with a made-up key',
    judged: '401',
    judge: (seen, facts) => together(seen, invalidKey, keyRefused(seen, facts)),
  },
  observed(403, '§5.7, §7', 'either the plan or the scope refuses it'),
  hidden('key-origin', '§5.3', 'keys are made per project, once the number is verified', 'it is in the dashboard'),
  hidden(
    'scopes',
    '§5.4',
    'a key is read-only, send-only or full',
    'no call returns its scope; what it may do is in the list of what is not shown',
  ),
  hidden('revoked-key', '§5.5, §5.6', 'a revoked key is rejected with 401', 'needs a revoked key'),
  hidden('audit-log', '§5.8', 'every call is in an audit log of its key', 'it is in the dashboard'),
  hidden('events', '§6', 'eight events are posted, in sandbox as in production', elsewhere),
  hidden('test-numbers', '§6', 'three test numbers: delivers, fails, delivers after 5 s', 'the numbers are not named'),
  {
    id: 'malformed-contact',
    section: '§7',
    statement: 'a malformed body of a contact is answered 400',
    asked: 'incomplete JSON',
    judged: '400',
    judge: (seen, facts) => bodyRefused(seen, facts, [brokenContact], 'createContact'),
  },
  {
    id: 'unknown-resource',
    section: '§7, §2',
    statement: 'a resource that does not exist is answered 404',
    asked: 'a path and a template ID that do not exist',
    judged: '404',
    judge: (seen) => together(seen, nowhere, refusedWith(404)),
  },
  observed(429, '§7, §8.1', 'others may have used the rate limit'),
  observed(500, '§7', 'report faults that persist to support'),
  hidden('plan-limits', '§8', 'each plan has its requests a minute and messages a month', 'no burst is made'),
  {
    id: 'no-version-segment',
    section: '§9',
    statement: 'the paths carry no version segment',
    asked: 'the base URL, and the lists below it',
    judged: 'a list answers, and its address has no segment such as /v1',
    judge: noVersion,
  },
  hidden('stability', '§9', 'existing behavior does not break', 'needs checks over time'),
];

// IANA's registry
const registered = /^(?:10[0-4]|20[0-8]|226|30[0-8]|40\d|41[0-8]|42[1-689]|431|451|50[0-8]|51[01])$/;

function everyAnswer(seen: Sightings, isRight: (answer: Answer) => boolean): Judged {
  const asked = seen.all.filter(({ probe }) => probe.endpoint !== undefined);
  const wrong = asked.flatMap(({ probe, answers }) =>
    answers.filter((answer) => !isRight(answer)).map((answer) => `${named(probe)}: ${described(answer)}`),
  );
  return wrong.length > 0 ? judged('differs', ...new Set(wrong)) : judged('holds');
}

function noVersion(seen: Sightings, { address }: Facts): Judged {
  const path = URL.canParse(address) ? new URL(address).pathname : '/';
  const segment = path.split('/').find((part) => /^v\d+(?:\.\d+)*$/i.test(part));
  if (segment !== undefined) return judged('differs', `the base URL has /${segment} in it`);
  const answered = Object.values(lists).some((list) => isSuccess(lastOf(seen.of(list))?.status ?? 0));
  return answered ? judged('holds') : judged('unclear', 'no list was answered');
}

function listClause(name: ListName, what: string): Clause {
  return {
    id: name,
    section: '§4',
    statement: `GET ${endpoints[name].path} ${what}`,
    asked: 'the list',
    judged: 'it is answered with success; the document does not show the status',
    judge: (seen) => together(seen, [lists[name]], listed),
  };
}

function listed(status: number): Bearing {
  if (isOfTheAccount(status) || status >= 500) return 'unclear';
  return isSuccess(status) ? 'holds' : 'differs';
}

function postClause(name: PostName): Clause {
  return {
    id: name,
    section: '§4',
    statement: `POST ${endpoints[name].path} is an endpoint`,
    asked: 'invalid bodies, and the writes that --allow-writes permits',
    judged: 'one of them gets an answer that an unknown path or method would not get',
    judge: (seen, facts) => isThere(seen, name, facts),
  };
}

/** Whether the endpoint exists, whatever it answers to a body. */
function isThere(seen: Sightings, name: PostName, { writes }: Facts): Judged {
  const planned = writes[name];
  const asked: readonly Probe[] = [...posts[name], ...('probe' in planned ? [planned.probe] : [])];
  const statuses = asked.flatMap((probe) => lastOf(seen.of(probe))?.status ?? []);
  if (statuses.some((status) => !isAbsent(status) && !isOfTheAccount(status) && status < 500)) return judged('holds');
  return together(seen, asked, (status) => (isAbsent(status) ? 'differs' : 'unclear'));
}

/** True if the endpoint does not exist for a valid key. */
function isMissing(seen: Sightings, name: EndpointName, facts: Facts): boolean {
  if (isPost(name)) return isThere(seen, name, facts).verdict === 'differs';
  return isAbsent(lastOf(seen.of(lists[name]))?.status ?? 0);
}

function isAbsent(status: number): boolean {
  return status === 404 || status === 405 || status === 410 || status === 501 || (status >= 300 && status < 400);
}

type Sent = NonNullable<ReturnType<typeof lastOf>>;

/** Judges the answer of an accepted write. */
function written(seen: Sightings, planned: Planned, judge: (sent: Sent) => Judged): Judged {
  if ('why' in planned) return judged('not tried', planned.why);
  const sighting = seen.of(planned.probe);
  const answer = lastOf(sighting);
  if (sighting?.isBarred) return judged('not tried', notTried);
  if (!answer) return judged('unclear', sighting?.failure?.message ?? 'it was not sent');
  if (!isSuccess(answer.status)) return judged('unclear', `it was refused: ${described(answer)}`);
  const { verdict, seen: details } = judge(answer);
  return judged(verdict, ...details, described(answer));
}

/** Answers that are not JSON are covered by §1. */
function messageId(content: Sent['content']): Judged {
  if (content.kind !== 'json') return judged('unclear');
  try {
    endpoints.sendTemplate.answer(content.value);
    return judged('holds');
  } catch (error) {
    if (error instanceof Mismatch) return judged('differs', `${error.at || 'it'} ${error.message}`);
    throw error;
  }
}

function knownByKey(seen: Sightings): Judged {
  const others = seen.all.filter(({ probe }) => probe.key !== 'own');
  const known = seen.all.filter((sighting) => sighting.probe.key === 'own' && dependsOnKey(sighting));
  if (known.every((sighting) => lastOf(sighting)?.status === 401)) return judged('unclear');
  const isDifferent = known.some((sighting) =>
    others.some((other) => other.probe.endpoint === sighting.probe.endpoint && isOther(sighting, other)),
  );
  return isDifferent ? judged('holds') : judged('unclear', 'the answer is the same without a key, or with any key');
}

function isOther(one: Sighting, other: Sighting): boolean {
  return dependsOnKey(other) && lastOf(one)?.status !== lastOf(other)?.status;
}

/** Faults and rate limits do not depend on the key. */
function dependsOnKey(sighting: Sighting): boolean {
  const status = lastOf(sighting)?.status;
  return status !== undefined && status !== 429 && status < 500;
}

/** An endpoint that does not exist may answer before it checks the key. */
function keyRefused(seen: Sightings, facts: Facts): (status: number, probe: Probe) => Bearing {
  return (status, { method, endpoint }) => {
    if (status === 401) return 'holds';
    if (isAbsent(status) && endpoint !== undefined && isMissing(seen, endpoint, facts)) return 'unclear';
    return status === 429 || (status === 400 && method === 'POST') ? 'unclear' : 'differs';
  };
}

function refusedWith(expected: number): (status: number) => Bearing {
  return (status) => (status === expected ? 'holds' : isOfTheAccount(status) ? 'unclear' : 'differs');
}

function bodyRefused(seen: Sightings, facts: Facts, probes: readonly Probe[], name: PostName = 'sendTemplate'): Judged {
  // A missing endpoint is reported once.
  if (isMissing(seen, name, facts)) return judged('unclear', 'the endpoint does not exist');
  return together(seen, probes, (status, probe) => {
    if (probe === withoutRecipient && status === 404) return 'unclear';
    return refusedWith(400)(status);
  });
}

/** An answer that any call may get and that is not provoked. */
function observed(status: ErrorStatus, section: string, remark: string): Clause {
  return {
    id: `status-${status}`,
    section,
    statement: `${status}: ${uncapitalized(statuses[status].cause)}`,
    asked: 'no request of its own',
    judged: 'reported if it occurs',
    judge: (seen) => seenWith(seen, status, remark),
  };
}

function seenWith(seen: Sightings, status: number, remark: string): Judged {
  const where = seen.all.filter(({ answers }) => answers.some((answer) => answer.status === status));
  if (where.length === 0) return judged('not seen');
  return judged('seen', ...where.map(({ probe }) => named(probe)), remark);
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1).replace(/\.(?: .*)?$/, '');
}

/** A statement that no client can check from outside. */
function hidden(id: string, section: string, statement: string, why: string): Clause {
  return {
    id,
    section,
    statement,
    asked: 'nothing',
    judged: 'it cannot be, from outside',
    judge: () => judged('not checkable', why),
  };
}
