import { isRecord } from '../../contract/readers.ts';
import { valueOf } from '../answer.ts';
import { lists, oneContact } from '../probes.ts';
import { lastOf, type Sightings } from '../sightings.ts';
import { fieldName, fieldsOf, wrappingOf } from './fields.ts';
import { type Found, found, fromSuccess, type Gap, type Look, notFound } from './finding.ts';

type ListName = keyof typeof lists;

/** §2 and §4: records, and how lists of them come. */
export const recordGaps: readonly Gap[] = [
  fields('listContacts', 'contact'),
  fields('listTemplates', 'template'),
  fields('listCampaigns', 'campaign'),
  shape('listContacts', 'contact'),
  shape('listTemplates', 'template'),
  shape('listCampaigns', 'campaign'),
  { id: 'pagination', section: '§4', what: 'pagination of the contacts', find: pagination },
  { id: 'query', section: '§4', what: 'query parameters; limit=1 was tried on the contacts', find: limitOne },
];

function fields(name: ListName, kind: string): Gap {
  return {
    id: `${kind}-fields`,
    section: '§2',
    what: `fields of the ${kind} record`,
    find: ({ seen, find }) =>
      fromSuccess(seen, lists[name], (body) => found(fieldsOf(find(body) ?? []), 'no record was found in the list')),
  };
}

function shape(name: ListName, kind: string): Gap {
  return {
    id: `${kind}-list`,
    section: '§4',
    what: `shape of the list of ${kind}s`,
    find: ({ seen, find }) => fromSuccess(seen, lists[name], (body) => found(wrappingOf(body, find(body)))),
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

/** Of the wrapper; those of a record are its own. */
function cursorsIn(body: unknown): readonly string[] {
  if (!isRecord(body)) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    /next|cursor|page|more|total|offset/i.test(name) && !isRecord(value)
      ? [`a member ${fieldName(name)}`]
      : cursorsIn(value),
  );
}

function limitOne({ seen, find }: Look): Found {
  const [all, one] = [counted(seen, find, false), counted(seen, find, true)];
  const status = lastOf(seen.of(oneContact))?.status;
  if (status !== undefined && status >= 400) return found([`limit=1 is answered ${status}`]);
  if (all === undefined || one === undefined) return notFound('no list of records was found');
  if (all < 2) return notFound('it takes two contacts to tell');
  return found([one === 1 ? 'limit=1 gives one record' : 'limit=1 changes nothing']);
}

function counted(seen: Sightings, find: Look['find'], limited: boolean): number | undefined {
  const content = lastOf(seen.of(limited ? oneContact : lists.listContacts))?.content;
  return content?.kind === 'json' ? find(content.value)?.length : undefined;
}
