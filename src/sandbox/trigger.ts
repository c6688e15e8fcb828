import type { EventName, ReceiptName } from '../contract/events.ts';
import * as read from '../contract/readers.ts';
import { optional, type Reader } from '../contract/readers.ts';
import { addContact, addMessage, emit, receiptEvent, testNumbers } from './events/emit.ts';
import { fields, record } from './readers.ts';
import { readOrRefuse, Refusal } from './refusal.ts';
import type { Campaign, Contact, Message, SandboxEvent, Template } from './state/records.ts';
import type { Core, State } from './state/state.ts';

/**
 * Makes an event happen, with the changes that lead to it, and returns all events in order. Throws a Refusal if it is
 * impossible.
 */
export function trigger(core: Core, event: EventName, fields: Readonly<Record<string, unknown>> = {}): Caused {
  const { events } = core.store.state;
  const before = events.next;
  const ids = handlers[event](fields, core);
  return { ...ids, events: events.between(before).map((emitted) => emitted.event) };
}

type Caused = Ids & { readonly events: readonly SandboxEvent[] };

const receiptFields = { message: optional(read.id), to: optional(read.phone), template: optional(read.id) } as const;

/** The fields that a trigger may set; the sandbox generates the others. */
const readers = {
  'message.received': fields({ from: optional(read.phone), text: optional(read.string) }),
  'message.delivered': fields(receiptFields),
  'message.read': fields(receiptFields),
  'message.failed': fields({ ...receiptFields, reason: optional(reason) }),
  'flow.completed': fields({ contact: optional(read.id), flow: optional(read.id) }),
  'broadcast.completed': fields({
    campaign: optional(read.id),
    tag: optional(read.id),
    name: optional(read.id),
    template: optional(read.id),
  }),
  'contact.created': fields({
    phone: optional(read.phone),
    name: optional(read.string),
    tags: optional(read.list(read.id)),
    attributes: optional(record),
  }),
  'order.paid': fields({
    contact: optional(read.id),
    amount: optional(amount),
    currency: optional(currency),
    provider: optional(read.id),
  }),
} as const satisfies Readonly<Record<EventName, Reader<unknown>>>;

export type FieldsOf<E extends EventName> = ReturnType<(typeof readers)[E]>;

/** Why a message failed, as its event reports it. */
const defaultReason = { code: 'undeliverable', message: 'this message was made to fail' };

/** Code and message are both optional. */
function reason(value: unknown, at = ''): typeof defaultReason {
  return { ...defaultReason, ...fields({ code: optional(read.id), message: optional(read.string) })(value, at) };
}

/** A string, because a JSON number would lose trailing zeros. */
function amount(value: unknown, at = ''): string {
  if (typeof value === 'string' && /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/.test(value)) return value;
  throw new read.Mismatch(at, 'must be an amount with a point, such as "10.00"');
}

function currency(value: unknown, at = ''): string {
  if (typeof value === 'string' && /^[A-Z]{3}$/.test(value)) return value;
  throw new read.Mismatch(at, 'must be three capital letters, such as USD');
}

/** The records concerned, named as in the event's data. */
type Ids = Readonly<Record<`${string}_id`, string>>;

const handlers: Readonly<Record<EventName, (fields: unknown, core: Core) => Ids>> = {
  'message.received': reading(readers['message.received'], received),
  'message.delivered': reading(readers['message.delivered'], receipt('message.delivered')),
  'message.read': reading(readers['message.read'], receipt('message.read')),
  'message.failed': reading(readers['message.failed'], receipt('message.failed')),
  'flow.completed': reading(readers['flow.completed'], flowCompleted),
  'broadcast.completed': reading(readers['broadcast.completed'], broadcastCompleted),
  'contact.created': reading(readers['contact.created'], contactCreated),
  'order.paid': reading(readers['order.paid'], orderPaid),
};

/** A handler, which checks everything before it changes anything. */
function reading<T>(reader: Reader<T>, handle: (fields: T, core: Core) => Ids) {
  return (fields: unknown, core: Core) => handle(readOrRefuse(reader, fields), core);
}

type ReceiptFields = FieldsOf<'message.failed'>;

/** The receipts that lead to a receipt, by the status of the message; missing if it is impossible. */
const receiptsTo: Readonly<Record<string, Readonly<Partial<Record<ReceiptName, readonly ReceiptName[]>>>>> = {
  accepted: {
    'message.delivered': ['message.delivered'],
    'message.read': ['message.delivered', 'message.read'],
    'message.failed': ['message.failed'],
  },
  delivered: { 'message.read': ['message.read'] },
};

/** Replaces the scheduled receipts that can no longer happen. */
function receipt(type: ReceiptName) {
  return (fields: ReceiptFields, core: Core): Ids => {
    const { to, reason = defaultReason } = fields;
    const message = to === undefined ? existingMessage(type, fields, core.store.state) : sendMessage(to, fields, core);
    for (const name of requireReceipts(type, message)) {
      const now = { type: name, at: core.clock.now(), ...(name === 'message.failed' && { reason }) };
      emit(core, receiptEvent(message, now, receiptsDone(name, message)));
    }
    return { message_id: message.id };
  };
}

function sendMessage(to: string, { message: id, template: name }: ReceiptFields, core: Core): Message {
  if (id !== undefined) throw new Refusal(400, 'a message and the number of a new one exclude each other');
  return send(to, approvedTemplate(core.store.state, name), core);
}

/** Values for the usual variables, as they look in a real message. */
const samples: Readonly<Record<string, string>> = {
  name: 'Ada',
  order: 'A-1042',
  time: '14:30',
  date: 'May 1',
  code: '482913',
};

/** Sends a message with the sandbox key. Other params are the names of their variables. */
function send(to: string, { name: template, variables }: Template, core: Core, campaign?: string): Message {
  const params = variables.map((variable) => samples[variable] ?? variable);
  const key = core.store.state.keys.all().find(({ mode }) => mode === 'sandbox')?.id ?? '';
  const fields = { to, template, params, mode: 'sandbox', key, ...(campaign !== undefined && { campaign }) } as const;
  return addMessage(core, fields, core.clock.now());
}

function existingMessage(type: ReceiptName, { message: id, template }: ReceiptFields, { messages }: State): Message {
  if (template !== undefined) throw new Refusal(400, 'a template is for a new message: pass to as well');
  const message =
    id === undefined ? messages.all().findLast(({ status }) => receiptsTo[status]?.[type]) : messages.get(id);
  if (message) return message;
  const none = messages.size === 0 ? 'there is no message yet' : `no message can still get ${type}`;
  const why = id === undefined ? none : `there is no message ${id}`;
  throw new Refusal(404, `${why}: send one, or pass to for a new one`);
}

function requireReceipts(type: ReceiptName, { id, status }: Message): readonly ReceiptName[] {
  const receipts = receiptsTo[status]?.[type];
  if (receipts) return receipts;
  const possible = Object.keys(receiptsTo[status] ?? {});
  const hint = possible.length === 0 ? 'its status is final' : `it can still get ${possible.join(', ')}`;
  throw new Refusal(400, `${id} is ${status} and cannot get ${type}: ${hint}`);
}

/** After a triggered delivery, the scheduled read still happens. */
function receiptsDone(type: ReceiptName, { receipts }: Message): number {
  const read = receipts.findIndex((receipt) => receipt.type === 'message.read');
  return type === 'message.delivered' && read >= 0 ? read : receipts.length;
}

/** 555-0100 to 555-0199: numbers reserved for fiction. */
const fictionalNumbers = Array.from({ length: 100 }, (_, at) => `+1202555${String(100 + at).padStart(4, '0')}`);
const customer = '+12025550187';

/** Creates the contact if it does not exist. */
function received({ from = customer, text = 'Hello' }: FieldsOf<'message.received'>, core: Core): Ids {
  const { id: contact_id } = core.store.state.contacts.get(from) ?? newContact({ phone: from }, core);
  const message_id = core.ids.id('msg_sandbox');
  const at = core.clock.now();
  const data = { message_id, from, text, contact_id };
  emit(core, { type: 'message.received', at, message: message_id, data });
  return { message_id, contact_id };
}

function contactCreated(fields: FieldsOf<'contact.created'>, core: Core): Ids {
  const { phone = unusedNumber(core.store.state), ...rest } = fields;
  if (core.store.state.contacts.get(phone)) throw new Refusal(400, `${phone} is already a contact`);
  return { contact_id: newContact({ phone, ...rest }, core).id };
}

type ContactFields = FieldsOf<'contact.created'> & Pick<Contact, 'phone'>;

function newContact({ phone, name, tags = [], attributes = {} }: ContactFields, core: Core): Contact {
  return addContact(core, { phone, name, tags, attributes }, core.clock.now());
}

function unusedNumber({ contacts }: State): string {
  const special: readonly string[] = Object.values(testNumbers);
  const free = fictionalNumbers.find((phone) => !contacts.get(phone) && !special.includes(phone));
  if (free === undefined) throw new Refusal(400, 'all 100 fictional numbers are contacts already: pass phone');
  return free;
}

function flowCompleted({ flow = 'Welcome', contact }: FieldsOf<'flow.completed'>, core: Core): Ids {
  const contact_id = contactNamed(core.store.state, contact).id;
  const flow_run_id = core.ids.id('run_sandbox');
  emit(core, { type: 'flow.completed', at: core.clock.now(), data: { flow_run_id, flow, contact_id } });
  return { flow_run_id, contact_id };
}

function orderPaid(fields: FieldsOf<'order.paid'>, core: Core): Ids {
  const { amount = '10.00', currency = 'USD', provider = 'sandbox', contact } = fields;
  const contact_id = contactNamed(core.store.state, contact).id;
  const ids = { order_id: core.ids.id('ord_sandbox'), contact_id };
  emit(core, { type: 'order.paid', at: core.clock.now(), data: { ...ids, amount, currency, provider } });
  return ids;
}

type BroadcastFields = FieldsOf<'broadcast.completed'>;

const noCounts = { sent: 0, delivered: 0, read: 0, failed: 0 } as const;

/** Runs a campaign to its end, with one message for each contact of its audience. */
function broadcastCompleted(fields: BroadcastFields, core: Core): Ids {
  const { state, happened } = core.store;
  const campaign = campaignFor(fields, core);
  const template = approvedTemplate(state, campaign.template);
  const contacts = audienceOf(fields, state);
  const counts = { ...noCounts, sent: contacts.length };
  state.campaigns.put({ ...campaign, status: 'COMPLETED', audience: contacts.length, counts });
  happened({ type: 'contents' });
  for (const { phone } of contacts) send(phone, template, core, campaign.id);
  const { id: campaign_id, name } = campaign;
  const data = { campaign_id, name, template: template.name, audience: contacts.length, counts };
  emit(core, { type: 'broadcast.completed', at: core.clock.now(), data });
  return { campaign_id };
}

function campaignFor({ campaign: existing, name, template }: BroadcastFields, core: Core): Campaign {
  const campaigns = core.store.state.campaigns.all();
  const isNew = name !== undefined || template !== undefined;
  if (existing !== undefined && isNew)
    throw new Refusal(400, 'a campaign and the name or template of a new one exclude each other');
  if (name !== undefined && campaigns.some((campaign) => campaign.name === name))
    throw new Refusal(400, `the campaign "${name}" already exists: pass it as campaign, or choose another name`);
  const open = existing === undefined ? campaigns.find(isOpen) : openCampaign(existing, campaigns);
  if (open && !isNew) return open;
  return newCampaign(name ?? `Broadcast ${campaigns.length + 1}`, template, core);
}

function openCampaign(idOrName: string, campaigns: readonly Campaign[]): Campaign {
  const named = campaigns.filter(({ id, name }) => id === idOrName || name === idOrName);
  const campaign = named.find(isOpen) ?? named[0];
  if (!campaign) throw new Refusal(404, `there is no campaign "${idOrName}"`);
  if (isOpen(campaign)) return campaign;
  throw new Refusal(400, `the campaign "${campaign.name}" is already COMPLETED; pass name for a new one`);
}

function newCampaign(name: string, template: string | undefined, { store, ids, clock }: Core): Campaign {
  return {
    id: ids.id('cmp_sandbox'),
    name,
    template: approvedTemplate(store.state, template).name,
    status: 'SCHEDULED',
    audience: 0,
    counts: noCounts,
    created_at: new Date(clock.now()).toISOString(),
  };
}

/** The contacts that a broadcast sends to. */
function audienceOf({ tag }: Pick<BroadcastFields, 'tag'>, { contacts }: State): readonly Contact[] {
  const audience = contacts.all().filter(({ tags }) => tag === undefined || tags.includes(tag));
  if (audience.length > 0) return audience;
  throw new Refusal(400, tag === undefined ? 'there are no contacts to send to' : `no contact has the tag "${tag}"`);
}

function isOpen({ status }: Campaign): boolean {
  return status !== 'COMPLETED';
}

/** By phone or id; by default the first contact. */
function contactNamed({ contacts }: State, name: string | undefined): Contact {
  if (name === undefined && contacts.size === 0) throw new Refusal(404, 'there is no contact yet: create one first');
  const isMeant = ({ id }: Contact) => name === undefined || id === name;
  const contact = contacts.get(name ?? '') ?? contacts.all().find(isMeant);
  if (contact) return contact;
  throw new Refusal(404, `there is no contact ${name}`);
}

/** By name; by default the first approved template. */
function approvedTemplate({ templates }: State, name: string | undefined): Template {
  const template =
    name === undefined ? templates.all().find(({ status }) => status === 'APPROVED') : templates.get(name);
  if (template?.status === 'APPROVED') return template;
  if (template) throw new Refusal(400, `the template "${template.name}" is not approved: ${template.status}`);
  throw new Refusal(404, name === undefined ? 'no template is approved' : `there is no template "${name}"`);
}
