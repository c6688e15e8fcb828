import { type EndpointName, endpoints } from '../../contract/endpoints.ts';
import { Mismatch } from '../../contract/readers.ts';
import { described } from '../answer.ts';
import { lists, type PostName, posts, type Probe } from '../probes.ts';
import { lastOf, notTried, type Sightings } from '../sightings.ts';
import { type Bearing, type Clause, type Facts, type Judged, judged, together } from '../verdict.ts';
import { isOfTheAccount, isSuccess } from '../answer.ts';
import type { Planned } from '../writes.ts';

/** §4, and §2 as far as it speaks of their bodies */
export const endpointClauses: readonly Clause[] = [
  postClause('sendTemplate'),
  {
    id: 'send-status',
    section: '§4',
    statement: 'send-template succeeds with 200',
    asked: 'a message to the number that was given',
    judged: 'its status is 200',
    judge: (seen, facts) =>
      written(seen, facts.writes.message, ({ status }) => judged(status === 200 ? 'holds' : 'differs')),
  },
  {
    id: 'message-id',
    section: '§2, §4',
    statement: 'the answer is an object with message_id, a string',
    asked: 'the same message',
    judged: "the contract's own reader takes it",
    judge: (seen, facts) => written(seen, facts.writes.message, ({ content }) => messageId(content)),
  },
  listClause('listContacts', 'lists contacts'),
  postClause('createContact'),
  {
    id: 'contact-created',
    section: '§4',
    statement: `POST ${endpoints.createContact.path} creates a contact`,
    asked: 'a contact with the number that was given',
    judged: 'it is answered with success; since its body is not shown, a refusal says nothing',
    judge: (seen, { writes }) => written(seen, writes.contact, () => judged('holds')),
  },
  listClause('listTemplates', 'lists message templates'),
  listClause('listCampaigns', 'lists campaigns'),
];

function listClause(name: keyof typeof lists, what: string): Clause {
  return {
    id: name,
    section: '§4',
    statement: `GET ${endpoints[name].path} ${what}`,
    asked: 'the list',
    judged: 'it is answered with success; which one is not shown',
    judge: (seen) => together(seen, [lists[name]], listed),
  };
}

function listed(status: number): Bearing {
  if (isOfTheAccount(status) || status >= 500) return 'not told';
  return isSuccess(status) ? 'holds' : 'differs';
}

function postClause(name: PostName): Clause {
  return {
    id: name,
    section: '§4',
    statement: `POST ${endpoints[name].path} is an endpoint`,
    asked: 'bodies that have to be refused, and what is allowed of --allow-writes',
    judged: 'one of them is answered in another way than by a path or a method that is not there',
    judge: (seen, facts) => isThere(seen, name, facts),
  };
}

/** Whether that endpoint is there; what it says of a body is another matter. */
function isThere(seen: Sightings, name: PostName, { writes }: Facts): Judged {
  const planned = name === 'sendTemplate' ? writes.message : writes.contact;
  const asked: readonly Probe[] = [...posts[name], ...('probe' in planned ? [planned.probe] : [])];
  const statuses = asked.flatMap((probe) => lastOf(seen.of(probe))?.status ?? []);
  if (statuses.some((status) => !isAbsent(status) && !isOfTheAccount(status) && status < 500)) return judged('holds');
  return together(seen, asked, (status) => (isAbsent(status) ? 'differs' : 'not told'));
}

/** Not there, to a key that is known. */
export function isMissing(seen: Sightings, name: EndpointName, facts: Facts): boolean {
  if (name === 'sendTemplate' || name === 'createContact') return isThere(seen, name, facts).verdict === 'differs';
  return isAbsent(lastOf(seen.of(lists[name]))?.status ?? 0);
}

export function isAbsent(status: number): boolean {
  return status === 404 || status === 405 || status === 410 || status === 501 || (status >= 300 && status < 400);
}

type Sent = NonNullable<ReturnType<typeof lastOf>>;

/** What is said of a write that was accepted. */
function written(seen: Sightings, planned: Planned, judge: (sent: Sent) => Judged): Judged {
  if ('why' in planned) return judged('not tried', planned.why);
  const sighting = seen.of(planned.probe);
  const answer = lastOf(sighting);
  if (sighting?.isBarred) return judged('not tried', notTried);
  if (!answer) return judged('not told', sighting?.failure?.message ?? 'it was not sent');
  if (!isSuccess(answer.status)) return judged('not told', `it was refused: ${described(answer)}`);
  const { verdict, seen: said } = judge(answer);
  return judged(verdict, ...said, described(answer));
}

/** What is no JSON is a matter of §1. */
function messageId(content: Sent['content']): Judged {
  if (content.kind !== 'json') return judged('not told');
  try {
    endpoints.sendTemplate.answer(content.value);
    return judged('holds');
  } catch (error) {
    if (error instanceof Mismatch) return judged('differs', `${error.at || 'it'} ${error.message}`);
    throw error;
  }
}
