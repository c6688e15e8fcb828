import type { Change } from '../changes.ts';
import type { Contact } from '../records.ts';
import { testNumbers } from '../receipts.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { type Caused, type Desk, eventChange } from './desk.ts';
import type { FieldsOf } from './fields.ts';

/** Numbers that nobody has: 555-0100 to 555-0199 are kept for fiction. */
const fiction = Array.from({ length: 100 }, (_, at) => `+1202555${String(100 + at).padStart(4, '0')}`);
const customer = '+12025550187';

/** Who was unknown until now becomes a contact first. */
export function received({ from = customer, text = 'Hello' }: FieldsOf<'message.received'>, desk: Desk): Caused {
  const known = desk.state.contacts.by.get(from);
  const added = known ? undefined : addition({ phone: from }, desk);
  const contact = known ?? added?.contact;
  const inbound = { id: desk.id('msg_sandbox'), from, text, contact: contact?.id ?? '', at: desk.now };
  const ids = { message_id: inbound.id, contact_id: inbound.contact };
  const data = { message_id: inbound.id, from, text, contact_id: inbound.contact };
  const event = eventChange(desk, { type: 'message.received', message: inbound.id, data });
  return { changes: [...(added?.changes ?? []), { type: 'inbound', inbound }, event], ids };
}

export function created(given: FieldsOf<'contact.created'>, desk: Desk): Caused {
  const { phone = unknownNumber(desk.state), ...rest } = given;
  if (desk.state.contacts.by.has(phone)) {
    throw new Refusal(400, `${phone} is a contact already, so no new one would be added`);
  }
  const { changes, contact } = addition({ phone, ...rest }, desk);
  return { changes, ids: { contact_id: contact.id } };
}

type Given = FieldsOf<'contact.created'> & Pick<Contact, 'phone'>;

function addition({ phone, name, tags = [], attributes = {} }: Given, desk: Desk) {
  const created_at = new Date(desk.now).toISOString();
  const contact: Contact = { id: desk.id('con_sandbox'), phone, name, tags, attributes, created_at };
  const event = eventChange(desk, { type: 'contact.created', data: { ...contact } });
  const changes: readonly Change[] = [{ type: 'contact', contact }, event];
  return { contact, changes };
}

function unknownNumber({ contacts }: State): string {
  const special: readonly string[] = Object.values(testNumbers);
  const free = fiction.find((phone) => !contacts.by.has(phone) && !special.includes(phone));
  if (free === undefined) throw new Refusal(400, 'every number of fiction is a contact already: name a phone');
  return free;
}
