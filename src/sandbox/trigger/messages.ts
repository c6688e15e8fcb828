import type { Change } from '../changes.ts';
import type { Message, Receipt, SandboxEvent, Template } from '../records.ts';
import { receiptEvent, receiptsOf } from '../receipts.ts';
import { Refusal } from '../refusal.ts';
import type { SentMessage, State } from '../state.ts';
import { type Caused, type Desk, templateNamed } from './desk.ts';
import type { FieldsOf } from './fields.ts';
import { usualReason } from './values.ts';

type Type = Receipt['type'];
type Given = FieldsOf<'message.failed'>;

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
export function receipt(type: Type, given: Given, desk: Desk): Caused {
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
export function newMessage(to: string, template: Template, { id, now, random, state }: Desk): Message {
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

function fresh(to: string, { message, template }: Given, desk: Desk): SentMessage {
  if (message !== undefined) throw new Refusal(400, 'a message and the number of a new one exclude each other');
  return { message: newMessage(to, templateNamed(desk.state, template), desk), done: 0, status: 'sent' };
}

function known(type: Type, { message: id, template }: Given, { messages }: State): SentMessage {
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
