import { type ErrorStatus, statuses } from '../../contract/statuses.ts';
import { named } from '../probes.ts';
import type { Sightings } from '../sightings.ts';
import { type Clause, type Judged, judged } from '../verdict.ts';

/** What may come of any call, and is not provoked. */
export const observedClauses: readonly Clause[] = [
  observed(403, '§5.7, §7', 'whether the plan or the scope refuses it cannot be told'),
  observed(429, '§7, §8.1', 'who else used the minute cannot be told'),
  observed(500, '§7', 'faults that persist are to be reported to support'),
];

function observed(status: ErrorStatus, section: string, remark: string): Clause {
  return {
    id: `status-${status}`,
    section,
    statement: `${status}: ${uncapitalized(statuses[status].cause)}`,
    asked: 'nothing for its sake',
    judged: 'it is told when it comes by itself',
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

const elsewhere = 'bizmsg webhooks listen and webhooks expect show it';

/** What the document says and no client can see from outside. */
export const hiddenClauses: readonly Clause[] = [
  hidden(
    'two-environments',
    '§1, §3',
    'two environments; sandbox simulates, and sends nothing real',
    'no call shows it',
  ),
  hidden('go-live', '§3', 'switching a key to live needs no change to client code', 'it takes the account owner'),
  hidden('content-type', '§4', 'requests with a body carry a JSON content type', 'it binds the client; bizmsg does'),
  hidden('sandbox-send', '§4, §5.9', 'a sandbox key never sends real messages', 'only a phone shows it'),
  hidden('contact-event', '§4, §6', 'a contact that is created fires contact.created', elsewhere),
  hidden('key-origin', '§5.3', 'keys are made per project, once the number is verified', 'it is in the dashboard'),
  hidden(
    'scopes',
    '§5.4',
    'a key is read-only, send-only or full',
    'no call tells its scope; what it may do is in the list of what is not shown',
  ),
  hidden('revoked-key', '§5.5, §5.6', 'a revoked key is rejected with 401', 'it takes a key that is revoked'),
  hidden('audit-log', '§5.8', 'every call is in an audit log of its key', 'it is in the dashboard'),
  hidden('events', '§6', 'eight events are posted, in sandbox as in production', elsewhere),
  hidden('test-numbers', '§6', 'three test numbers: delivers, fails, delivers after 5 s', 'the numbers are not named'),
  hidden('plan-limits', '§8', 'each plan has its requests a minute and messages a month', 'no burst is made'),
  hidden('stability', '§9', 'existing behaviour does not break', 'it takes looks at different times'),
];

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
