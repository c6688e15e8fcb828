import {
  brokenContact,
  brokenMessage,
  incomplete,
  invalidKey,
  keyless,
  nowhere,
  type PostName,
  type Probe,
  withoutRecipient,
  wrongTypes,
} from '../probes.ts';
import { isAbsent, isMissing } from './endpoints.ts';
import { lastOf, type Sighting, type Sightings } from '../sightings.ts';
import { modeOf } from '../../contract/keys.ts';
import { type Bearing, type Clause, type Facts, type Judged, judged, together } from '../verdict.ts';
import { isOfTheAccount } from '../answer.ts';

/** §5 */
export const keyClauses: readonly Clause[] = [
  {
    id: 'bearer',
    section: '§5.1',
    statement: 'a key in "Authorization: Bearer" is what a request is known by',
    asked: 'everything that is asked with the key',
    judged: 'something is answered in another way than with 401, and than the same without the key',
    judge: knownByKey,
  },
  {
    id: 'key-prefix',
    section: '§5.2',
    statement: 'a key begins with sk_test_ or with sk_live_',
    asked: 'the key in use',
    judged: 'it does',
    judge: (_, { shownKey }) =>
      modeOf(shownKey) === undefined ? judged('differs', 'it begins with neither, and is taken') : judged('holds'),
  },
  {
    id: 'missing-key',
    section: '§5.1, §5.6, §7',
    statement: 'a missing key is rejected with 401',
    asked: 'each endpoint without a key, the two POSTs with a body that has to be refused anyway',
    judged: '401; of a POST a 400 says nothing, since no order of checks is shown',
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
];

/** §7 */
export const errorClauses: readonly Clause[] = [
  {
    id: 'missing-field',
    section: '§4, §7',
    statement: 'send-template without a required field is answered 400',
    asked: 'a body without template, and one without to and with a template that nobody has',
    judged: '400; for the second a 404 says nothing, since no order of checks is shown',
    judge: (seen, facts) => bodyRefused(seen, facts, incomplete),
  },
  {
    id: 'malformed-message',
    section: '§4, §7',
    statement: 'a malformed body of send-template is answered 400',
    asked: 'half a JSON',
    judged: '400',
    judge: (seen, facts) => bodyRefused(seen, facts, [brokenMessage]),
  },
  {
    id: 'field-types',
    section: '§2, §4, §7',
    statement: 'to and template are strings, params is an array of strings',
    asked: 'a body with numbers in all three',
    judged: '400, as a body that is malformed',
    judge: (seen, facts) => bodyRefused(seen, facts, [wrongTypes]),
  },
  {
    id: 'malformed-contact',
    section: '§7',
    statement: 'a malformed body of a contact is answered 400',
    asked: 'half a JSON',
    judged: '400',
    judge: (seen, facts) => bodyRefused(seen, facts, [brokenContact], 'createContact'),
  },
  {
    id: 'unknown-resource',
    section: '§7, §2',
    statement: 'a resource that does not exist leads to 404',
    asked: 'a path and a template ID that nobody has',
    judged: '404',
    judge: (seen) => together(seen, nowhere, refusedWith(404)),
  },
];

function knownByKey(seen: Sightings): Judged {
  const others = seen.all.filter(({ probe }) => probe.key !== 'own');
  const known = seen.all.filter((sighting) => sighting.probe.key === 'own' && saysOfKey(sighting));
  if (known.every((sighting) => lastOf(sighting)?.status === 401)) return judged('not told');
  const isToldApart = known.some((sighting) =>
    others.some((other) => other.probe.endpoint === sighting.probe.endpoint && isOther(sighting, other)),
  );
  return isToldApart ? judged('holds') : judged('not told', 'the same is answered without a key, or with any');
}

function isOther(one: Sighting, other: Sighting): boolean {
  return saysOfKey(other) && lastOf(one)?.status !== lastOf(other)?.status;
}

/** A fault, or a minute that is used up, comes to any key. */
function saysOfKey(sighting: Sighting): boolean {
  const status = lastOf(sighting)?.status;
  return status !== undefined && status !== 429 && status < 500;
}

/** An endpoint that is not there may well say so before it looks at a key. */
function keyRefused(seen: Sightings, facts: Facts): (status: number, probe: Probe) => Bearing {
  return (status, { method, endpoint }) => {
    if (status === 401) return 'holds';
    if (isAbsent(status) && endpoint !== undefined && isMissing(seen, endpoint, facts)) return 'not told';
    return status === 429 || (status === 400 && method === 'POST') ? 'not told' : 'differs';
  };
}

function refusedWith(expected: number): (status: number) => Bearing {
  return (status) => (status === expected ? 'holds' : isOfTheAccount(status) ? 'not told' : 'differs');
}

function bodyRefused(seen: Sightings, facts: Facts, probes: readonly Probe[], name: PostName = 'sendTemplate'): Judged {
  // One that is not there is named once.
  if (isMissing(seen, name, facts)) return judged('not told', 'the endpoint is not there');
  return together(seen, probes, (status, probe) => {
    if (probe === withoutRecipient && status === 404) return 'not told';
    return refusedWith(400)(status);
  });
}
