import type { EventName, ReceiptName } from '../../contract/events.ts';
import { withDeliveries } from '../events/fan-out.ts';
import { readOrRefuse, Refusal } from '../refusal.ts';
import { receiptEvent, receiptsOf, testNumbers } from '../state/receipts.ts';
import type { Campaign, Change, Contact, Message, Receipt, SandboxEvent, Template } from '../state/records.ts';
import { batches } from '../state/snapshot.ts';
import type { Core, SentMessage, State } from '../state/state.ts';
import { defaultReason, type FieldsOf, readFields, whyNotFields } from './fields.ts';

interface TriggerResult {
  /** All events it caused, in order. */
  readonly events: readonly SandboxEvent[];
  /** The records concerned: `message_id`, `contact_id`… */
  readonly [id: `${string}_id`]: string;
}

/** Makes an event happen, with the changes that lead to it. Throws a Refusal if it is impossible. */
export function createTrigger({ store, ids, clock }: Core) {
  const { state, commit } = store;
  return (event: EventName, fields: Readonly<Record<string, unknown>> = {}): TriggerResult => {
    let { serial } = state;
    const newId = (prefix: string) => ids.id(prefix, ++serial);
    const context = { state, now: clock.now(), newId, random: ids.random(serial) };
    const triggered = run(event, read(event, fields), context);
    for (const batch of batches(triggered.changes)) commit(withDeliveries(batch, state, ids));
    const events = triggered.changes.flatMap((change) => (change.type === 'event' ? [change.event] : []));
    return { ...triggered.ids, events };
  };
}

type Handlers = { readonly [E in EventName]: (fields: FieldsOf<E>, context: TriggerContext) => Triggered };

const handlers: Handlers = {
  'message.received': received,
  'message.delivered': (fields, context) => receipt('message.delivered', fields, context),
  'message.read': (fields, context) => receipt('message.read', fields, context),
  'message.failed': (fields, context) => receipt('message.failed', fields, context),
  'flow.completed': flowCompleted,
  'broadcast.completed': broadcastCompleted,
  'contact.created': contactCreated,
  'order.paid': orderPaid,
};

function run<E extends EventName>(event: E, fields: FieldsOf<E>, context: TriggerContext): Triggered {
  return handlers[event](fields, context);
}

function read<E extends EventName>(event: E, fields: Readonly<Record<string, unknown>>): FieldsOf<E> {
  const problem = whyNotFields(event, Object.keys(fields));
  if (problem !== undefined) throw new Refusal(400, problem);
  return readOrRefuse(() => readFields(event, fields));
}

/** The data that a trigger decides from. It only reads the state. */
interface TriggerContext {
  readonly state: State;
  readonly now: number;
  /** Generates an id. Each must end up in a change. */
  readonly newId: (prefix: string) => string;
  readonly random: () => number;
}

/** The changes that a trigger causes: the state first, then the events. */
interface Triggered {
  readonly changes: readonly Change[];
  /** The records concerned, named as in the event's data. */
  readonly ids: Readonly<Record<string, string>>;
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
function receipt(type: ReceiptName, fields: ReceiptFields, context: TriggerContext): Triggered {
  const { to, reason } = fields;
  const sent = to === undefined ? existingMessage(type, fields, context.state) : sendMessage(to, fields, context);
  const { message } = sent;
  const events = requireReceipts(type, sent).map((type): Change => ({
    type: 'event',
    event: receiptNow(type, sent, context, reason),
  }));
  const changes: readonly Change[] = to === undefined ? events : [{ type: 'message', message }, ...events];
  return { changes, ids: { message_id: message.id } };
}

function sendMessage(to: string, { message, template }: ReceiptFields, context: TriggerContext): SentMessage {
  if (message !== undefined) throw new Refusal(400, 'a message and the number of a new one exclude each other');
  return { message: newMessage(to, approvedTemplate(context.state, template), context), done: 0, status: 'accepted' };
}

/** Values for the usual variables, as they look in a real message. */
const samples: Readonly<Record<string, string>> = {
  name: 'Ada',
  order: 'A-1042',
  time: '14:30',
  date: 'May 1',
  code: '482913',
};

/** A message from the sandbox key. Other params are the names of their variables. */
function newMessage(to: string, template: Template, { newId, now, random, state }: TriggerContext): Message {
  return {
    id: newId('msg_sandbox'),
    to,
    template: template.name,
    params: template.variables.map((name) => samples[name] ?? name),
    mode: 'sandbox',
    key: state.keys.list.find(({ mode }) => mode === 'sandbox')?.id ?? '',
    sentAt: now,
    receipts: receiptsOf(to, now, random),
  };
}

function existingMessage(
  type: ReceiptName,
  { message: id, template }: ReceiptFields,
  { messages }: State,
): SentMessage {
  if (template !== undefined) throw new Refusal(400, 'a template is for a new message: pass to as well');
  if (id === undefined) {
    const found = [...messages.values()].findLast(({ status }) => receiptsTo[status]?.[type]);
    if (found) return found;
    const problem = messages.size === 0 ? 'there is no message yet' : `no message can still get ${type}`;
    throw new Refusal(404, `${problem}: send one, or pass to for a new one`);
  }
  const found = messages.get(id);
  if (!found) throw new Refusal(404, `there is no message ${id}: send one, or pass to for a new one`);
  return found;
}

function requireReceipts(type: ReceiptName, { message: { id }, status }: SentMessage): readonly ReceiptName[] {
  const receipts = receiptsTo[status]?.[type];
  if (receipts) return receipts;
  const possible = Object.keys(receiptsTo[status] ?? {});
  const hint = possible.length === 0 ? 'its status is final' : `it can still get ${possible.join(', ')}`;
  throw new Refusal(400, `${id} is ${status} and cannot get ${type}: ${hint}`);
}

function receiptNow(
  type: ReceiptName,
  sent: SentMessage,
  { newId, now }: TriggerContext,
  reason = defaultReason,
): SandboxEvent {
  const receipt: Receipt = { type, at: now, ...(type === 'message.failed' && { reason }) };
  return { ...receiptEvent(newId('evt'), sent.message, receipt), done: receiptsDone(type, sent.message) };
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
function received(
  { from = customer, text = 'Hello' }: FieldsOf<'message.received'>,
  context: TriggerContext,
): Triggered {
  const known = context.state.contacts.by.get(from);
  const { contact, changes } = known ? { contact: known, changes: [] } : newContact({ phone: from }, context);
  const inbound = { id: context.newId('msg_sandbox'), from, text, contact: contact.id, at: context.now };
  const ids = { message_id: inbound.id, contact_id: inbound.contact };
  const data = { message_id: inbound.id, from, text, contact_id: inbound.contact };
  const event = newEvent(context, { type: 'message.received', message: inbound.id, data });
  return { changes: [...changes, { type: 'inbound', inbound }, event], ids };
}

function contactCreated(fields: FieldsOf<'contact.created'>, context: TriggerContext): Triggered {
  const { phone = unusedNumber(context.state), ...rest } = fields;
  if (context.state.contacts.by.has(phone)) throw new Refusal(400, `${phone} is already a contact`);
  const { changes, contact } = newContact({ phone, ...rest }, context);
  return { changes, ids: { contact_id: contact.id } };
}

type ContactFields = FieldsOf<'contact.created'> & Pick<Contact, 'phone'>;

function newContact({ phone, name, tags = [], attributes = {} }: ContactFields, context: TriggerContext) {
  const created_at = new Date(context.now).toISOString();
  const contact: Contact = { id: context.newId('con_sandbox'), phone, name, tags, attributes, created_at };
  const event = newEvent(context, { type: 'contact.created', data: { ...contact } });
  const changes: readonly Change[] = [{ type: 'contact', contact }, event];
  return { contact, changes };
}

function unusedNumber({ contacts }: State): string {
  const special: readonly string[] = Object.values(testNumbers);
  const free = fictionalNumbers.find((phone) => !contacts.by.has(phone) && !special.includes(phone));
  if (free === undefined) throw new Refusal(400, 'all 100 fictional numbers are contacts already: pass phone');
  return free;
}

function flowCompleted(fields: FieldsOf<'flow.completed'>, context: TriggerContext): Triggered {
  const { flow = 'Welcome', contact } = fields;
  const [id, flow_run_id] = eventAndIts('run_sandbox', context);
  const contact_id = contactNamed(context.state, contact).id;
  const event = newEvent(context, { id, type: 'flow.completed', data: { flow_run_id, flow, contact_id } });
  return { changes: [event], ids: { flow_run_id, contact_id } };
}

function orderPaid(fields: FieldsOf<'order.paid'>, context: TriggerContext): Triggered {
  const { amount = '10.00', currency = 'USD', provider = 'sandbox', contact } = fields;
  const [id, order_id] = eventAndIts('ord_sandbox', context);
  const ids = { order_id, contact_id: contactNamed(context.state, contact).id };
  const event = newEvent(context, { id, type: 'order.paid', data: { ...ids, amount, currency, provider } });
  return { changes: [event], ids };
}

/** The ids of an event and of what it is about, which is kept in its data only. */
function eventAndIts(prefix: string, { newId }: TriggerContext): readonly [event: string, subject: string] {
  const event = newId('evt');
  return [event, event.replace('evt', prefix)];
}

type BroadcastFields = FieldsOf<'broadcast.completed'>;

const noCounts = { sent: 0, delivered: 0, read: 0, failed: 0 } as const;

/** Runs a campaign to its end, with one message for each contact of its audience. */
function broadcastCompleted(fields: BroadcastFields, context: TriggerContext): Triggered {
  const campaign = campaignFor(fields, context);
  const template = approvedTemplate(context.state, campaign.template);
  const messages = audienceOf(fields, context.state).map(({ phone }): Message => {
    return { ...newMessage(phone, template, context), campaign: campaign.id };
  });
  const audience = messages.length;
  const running: Campaign = { ...campaign, status: 'RUNNING', audience, counts: noCounts };
  const completed: Campaign = { ...running, status: 'COMPLETED', counts: { ...noCounts, sent: audience } };
  const { id: campaign_id, name, counts } = completed;
  const data = { campaign_id, name, template: template.name, audience, counts };
  const changes: readonly Change[] = [
    { type: 'campaign', campaign: running },
    ...messages.map((message) => ({ type: 'message', message }) as const),
    { type: 'campaign', campaign: completed },
    newEvent(context, { type: 'broadcast.completed', data }),
  ];
  return { changes, ids: { campaign_id } };
}

function campaignFor({ campaign: existing, name, template }: BroadcastFields, context: TriggerContext): Campaign {
  const { list } = context.state.campaigns;
  const isNew = name !== undefined || template !== undefined;
  if (existing !== undefined && isNew)
    throw new Refusal(400, 'a campaign and the name or template of a new one exclude each other');
  if (name !== undefined && list.some((campaign) => campaign.name === name))
    throw new Refusal(400, `the campaign "${name}" already exists: pass it as campaign, or choose another name`);
  const found = isNew ? undefined : existing === undefined ? list.find(isOpen) : openCampaign(existing, context.state);
  return found ?? newCampaign(name ?? `Broadcast ${list.length + 1}`, template, context);
}

function openCampaign(idOrName: string, { campaigns: { by, list } }: State): Campaign {
  const named = list.filter(({ name }) => name === idOrName);
  const found = by.get(idOrName) ?? named.find(isOpen) ?? named[0];
  if (!found) throw new Refusal(404, `there is no campaign "${idOrName}"`);
  if (isOpen(found)) return found;
  throw new Refusal(400, `the campaign "${found.name}" is already COMPLETED; pass name for a new one`);
}

function newCampaign(name: string, template: string | undefined, context: TriggerContext): Campaign {
  return {
    id: context.newId('cmp_sandbox'),
    name,
    template: approvedTemplate(context.state, template).name,
    status: 'SCHEDULED',
    audience: 0,
    counts: noCounts,
    created_at: new Date(context.now).toISOString(),
  };
}

/** The contacts that a broadcast sends to. */
export function audienceOf({ tag }: Pick<BroadcastFields, 'tag'>, { contacts: { list } }: State): readonly Contact[] {
  const audience = tag === undefined ? list : list.filter(({ tags }) => tags.includes(tag));
  if (audience.length > 0) return audience;
  throw new Refusal(400, tag === undefined ? 'there are no contacts to send to' : `no contact has the tag "${tag}"`);
}

function isOpen({ status }: Campaign): boolean {
  return status !== 'COMPLETED';
}

type NewEvent = Partial<SandboxEvent> & Pick<SandboxEvent, 'type' | 'data'>;

function newEvent({ newId, now }: TriggerContext, { id = newId('evt'), ...event }: NewEvent): Change {
  return { type: 'event', event: { id, at: now, ...event } };
}

/** By phone or id; by default the first contact. */
function contactNamed({ contacts }: State, name: string | undefined): Contact {
  const found =
    name === undefined ? contacts.list[0] : (contacts.by.get(name) ?? contacts.list.find(({ id }) => id === name));
  if (found) return found;
  throw name === undefined
    ? new Refusal(404, 'there is no contact yet: create one first')
    : new Refusal(404, `there is no contact ${name}`);
}

/** By name; by default the first approved template. */
function approvedTemplate({ templates }: State, name: string | undefined): Template {
  const found =
    name === undefined ? templates.list.find(({ status }) => status === 'APPROVED') : templates.by.get(name);
  if (found?.status === 'APPROVED') return found;
  if (found) throw new Refusal(400, `the template "${found.name}" is not approved: ${found.status}`);
  throw new Refusal(404, name === undefined ? 'no template is approved' : `there is no template "${name}"`);
}
