import { Refusal } from '../refusal.ts';
import { receiptEvent, receiptsOf, testNumbers } from '../state/receipts.ts';
import type { Campaign, Change, Contact, Message, Order, Receipt, SandboxEvent, Template } from '../state/records.ts';
import type { SentMessage, State } from '../state/state.ts';
import { type Caused, contactNamed, type Desk, eventChange, templateNamed } from './context.ts';
import { type FieldsOf, usualReason } from './fields.ts';

type Type = Receipt['type'];
type ReceiptFields = FieldsOf<'message.failed'>;

/** What must happen to a message on its way to what shall; for what is not here there is no way. */
const ways: Readonly<Record<string, Readonly<Partial<Record<Type, readonly Type[]>>>>> = {
  sent: {
    'message.delivered': ['message.delivered'],
    // Nobody reads what has not arrived.
    'message.read': ['message.delivered', 'message.read'],
    'message.failed': ['message.failed'],
  },
  delivered: { 'message.read': ['message.read'] },
};

/** Its own receipts give way: those that can no longer come never will. */
export function receipt(type: Type, given: ReceiptFields, desk: Desk): Caused {
  const { to, reason } = given;
  const sent = to === undefined ? known(type, given, desk.state) : fresh(to, given, desk);
  const { message } = sent;
  const events = wayTo(type, sent).map((type): Change => ({
    type: 'event',
    event: happened(type, sent, desk, reason),
  }));
  const changes: readonly Change[] = to === undefined ? events : [{ type: 'message', message }, ...events];
  return { changes, ids: { message_id: message.id } };
}

/** As if somebody had sent it with the sandbox key; a variable is filled with its own name. */
function newMessage(to: string, template: Template, { id, now, random, state }: Desk): Message {
  return {
    id: id('msg_sandbox'),
    to,
    template: template.name,
    params: template.variables,
    mode: 'sandbox',
    key: state.keys.list.find(({ mode }) => mode === 'sandbox')?.id ?? '',
    sentAt: now,
    receipts: receiptsOf(to, now, random),
  };
}

function fresh(to: string, { message, template }: ReceiptFields, desk: Desk): SentMessage {
  if (message !== undefined) throw new Refusal(400, 'a message and the number of a new one exclude each other');
  return { message: newMessage(to, templateNamed(desk.state, template), desk), done: 0, status: 'sent' };
}

function known(type: Type, { message: id, template }: ReceiptFields, { messages }: State): SentMessage {
  if (template !== undefined) throw new Refusal(400, 'a template is for a new message: give to as well');
  if (id === undefined) {
    const found = [...messages.values()].findLast(({ status }) => ways[status]?.[type]);
    if (found) return found;
    const what = messages.size === 0 ? 'there is no message yet' : `no message can still get ${type}`;
    throw new Refusal(404, `${what}: send one, or give to for a new one`);
  }
  const found = messages.get(id);
  if (!found) throw new Refusal(404, `there is no message ${id}: send one, or give to for a new one`);
  return found;
}

function wayTo(type: Type, { message: { id }, status }: SentMessage): readonly Type[] {
  const way = ways[status]?.[type];
  if (way) return way;
  const possible = Object.keys(ways[status] ?? {});
  const hint = possible.length === 0 ? 'nothing more happens to it' : `what it can still get is ${possible.join(', ')}`;
  throw new Refusal(400, `${id} is ${status} and cannot get ${type}: ${hint}`);
}

function happened(type: Type, sent: SentMessage, { id, now }: Desk, reason = usualReason): SandboxEvent {
  const receipt: Receipt = { type, at: now, ...(type === 'message.failed' && { reason }) };
  return { ...receiptEvent(id('evt'), sent, receipt), done: doneWith(type, sent.message) };
}

/** After a delivery it may still be read in its own time. */
function doneWith(type: Type, { receipts }: Message): number {
  const read = receipts.findIndex((receipt) => receipt.type === 'message.read');
  return type === 'message.delivered' && read >= 0 ? read : receipts.length;
}

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

type ContactFields = FieldsOf<'contact.created'> & Pick<Contact, 'phone'>;

function addition({ phone, name, tags = [], attributes = {} }: ContactFields, desk: Desk) {
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

export function flowCompleted(given: FieldsOf<'flow.completed'>, desk: Desk): Caused {
  const { flow = 'Welcome' } = given;
  const contact = contactNamed(desk.state, given.contact).id;
  const run = { id: desk.id('run_sandbox'), flow, contact, at: desk.now };
  const ids = { flow_run_id: run.id, contact_id: contact };
  const event = eventChange(desk, { type: 'flow.completed', data: { flow_run_id: run.id, flow, contact_id: contact } });
  return { changes: [{ type: 'flow-run', run }, event], ids };
}

export function orderPaid(given: FieldsOf<'order.paid'>, desk: Desk): Caused {
  const { amount = '10.00', currency = 'USD', provider = 'sandbox' } = given;
  const contact = contactNamed(desk.state, given.contact).id;
  const order: Order = { id: desk.id('ord_sandbox'), contact, amount, currency, provider, at: desk.now };
  const ids = { order_id: order.id, contact_id: contact };
  const event = eventChange(desk, { type: 'order.paid', data: { ...ids, amount, currency, provider } });
  const changes: readonly Change[] = [{ type: 'order', order }, event];
  return { changes, ids };
}

type BroadcastFields = FieldsOf<'broadcast.completed'>;

/** A campaign runs to its end: one message for each contact of its audience. */
export function broadcastCompleted(given: BroadcastFields, desk: Desk): Caused {
  const campaign = campaignOf(given, desk);
  const template = templateNamed(desk.state, campaign.template);
  const messages = audienceOf(given, desk.state).map(({ phone }) => newMessage(phone, template, desk));
  const [audience, none] = [messages.length, { sent: 0, delivered: 0, read: 0, failed: 0 }];
  const running: Campaign = { ...campaign, status: 'RUNNING', audience, counts: none };
  const completed: Campaign = { ...running, status: 'COMPLETED', counts: { ...none, sent: audience } };
  const { id: campaign_id, name, counts } = completed;
  const data = { campaign_id, name, template: template.name, audience, counts };
  const changes: readonly Change[] = [
    { type: 'campaign', campaign: running },
    ...messages.map((message) => ({ type: 'message', message }) as const),
    { type: 'campaign', campaign: completed },
    eventChange(desk, { type: 'broadcast.completed', data }),
  ];
  return { changes, ids: { campaign_id } };
}

function campaignOf({ campaign: which, name, template }: BroadcastFields, desk: Desk): Campaign {
  const { list } = desk.state.campaigns;
  const isNew = name !== undefined || template !== undefined;
  if (which !== undefined && isNew)
    throw new Refusal(400, 'a campaign and the name or template of a new one exclude each other');
  if (name !== undefined && list.some((campaign) => campaign.name === name))
    throw new Refusal(400, `there is a campaign "${name}" already: name it as the campaign, or choose another name`);
  const known = isNew ? undefined : which === undefined ? list.find(isOpen) : campaignNamed(which, desk.state);
  return known ?? newCampaign(name ?? `Broadcast ${list.length + 1}`, template, desk);
}

function campaignNamed(which: string, { campaigns: { by, list } }: State): Campaign {
  const named = list.filter(({ name }) => name === which);
  const found = by.get(which) ?? named.find(isOpen) ?? named[0];
  if (!found) throw new Refusal(404, `there is no campaign "${which}"`);
  if (isOpen(found)) return found;
  throw new Refusal(400, `the campaign "${found.name}" is COMPLETED already; give name for a new one`);
}

function newCampaign(name: string, template: string | undefined, desk: Desk): Campaign {
  const counts = { sent: 0, delivered: 0, read: 0, failed: 0 };
  return {
    id: desk.id('cmp_sandbox'),
    name,
    template: templateNamed(desk.state, template).name,
    status: 'SCHEDULED',
    audience: 0,
    counts,
    created_at: new Date(desk.now).toISOString(),
  };
}

function audienceOf({ tag }: BroadcastFields, { contacts: { list } }: State): readonly Contact[] {
  const audience = tag === undefined ? list : list.filter(({ tags }) => tags.includes(tag));
  if (audience.length > 0) return audience;
  throw new Refusal(400, tag === undefined ? 'there is no contact to send to' : `no contact has the tag "${tag}"`);
}

function isOpen({ status }: Campaign): boolean {
  return status !== 'COMPLETED';
}
