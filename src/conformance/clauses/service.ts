import { type Answer, described, isJson } from '../answer.ts';
import { lists, named } from '../probes.ts';
import { lastOf, type Sightings } from '../sightings.ts';
import { type Clause, type Facts, type Judged, judged } from '../verdict.ts';
import { isSuccess } from '../answer.ts';

/** §1 */
export const serviceClauses: readonly Clause[] = [
  {
    id: 'https',
    section: '§1',
    statement: 'the interface is REST over HTTPS',
    asked: 'the base URL',
    judged: 'it begins with https; to this machine itself plain http says nothing',
    judge: (_, { address }) =>
      address.startsWith('https:') ? judged('holds') : judged('not told', 'this machine is called over plain http'),
  },
  {
    id: 'json',
    section: '§1',
    statement: 'every endpoint returns JSON',
    asked: 'every answer of the five endpoints, errors included',
    judged: 'its content type is application/json or ends in +json, and its body can be read',
    judge: (seen) => everyAnswer(seen, isJson),
  },
  {
    id: 'statuses',
    section: '§1',
    statement: 'standard HTTP status codes are used',
    asked: 'every answer of the five endpoints',
    judged: 'its status is one that is registered for HTTP',
    judge: (seen) => everyAnswer(seen, ({ status }) => registered.test(String(status))),
  },
];

/** §9 */
export const versionClauses: readonly Clause[] = [
  {
    id: 'no-version-segment',
    section: '§9',
    statement: 'the paths carry no version segment',
    asked: 'the base URL, and the lists below it',
    judged: 'a list answers, and nothing such as /v1 stands in its address',
    judge: noVersion,
  },
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
  return answered ? judged('holds') : judged('not told', 'no list was answered');
}
