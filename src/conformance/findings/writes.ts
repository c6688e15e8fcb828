import { isRecord } from '../../contract/readers.ts';
import type { Planned } from '../writes.ts';
import { fieldName, fieldsOf, typeName } from './fields.ts';
import { type Found, found, fromSuccess, type Gap, type Look, notFound } from './finding.ts';

/** What only shows when something is written. */
export const writeGaps: readonly Gap[] = [
  {
    id: 'send-answer',
    section: '§2',
    what: 'fields of the send-template answer other than message_id',
    find: (look) => written(look, look.facts.writes.message, (body) => found(othersIn(body))),
  },
  {
    id: 'contact-status',
    section: '§4',
    what: 'success status of POST /api/public/contacts',
    find: (look) => written(look, look.facts.writes.contact, (_, status) => found([String(status)])),
  },
  {
    id: 'contact-answer',
    section: '§4',
    what: 'response body of POST /api/public/contacts',
    find: (look) => written(look, look.facts.writes.contact, (body) => found(contentsOf(body))),
  },
  { id: 'contact-body', section: '§4', what: 'request body of POST /api/public/contacts', find: accepted },
];

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

/** Only that a body was taken shows, and not what of it is required. */
function accepted(look: Look): Found {
  const { contact } = look.facts.writes;
  return written(look, contact, () => {
    const sent: unknown = 'probe' in contact ? JSON.parse(contact.probe.body ?? 'null') : undefined;
    const names = isRecord(sent) ? Object.keys(sent).map((name) => fieldName(name)) : [];
    return found([`a body with ${names.join(', ')} is taken`]);
  });
}
