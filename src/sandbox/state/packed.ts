import { endpoints } from '../../contract/endpoints.ts';
import type { Change, Contact, Message } from './records.ts';

/** Two changes of one request as one record of the journal, which leaves out what they repeat. */
export type Packed = Sent | Created;

/** A message that will be delivered and read, and the call that sent it. */
interface Sent extends Pick<Message, 'id' | 'to' | 'template' | 'params' | 'mode' | 'key'> {
  readonly type: 'sent';
  readonly at: number;
  /** Milliseconds until it is delivered, and until it is read. */
  readonly delays: readonly [delivered: number, read: number];
}

/** A contact and its event. */
interface Created {
  readonly type: 'created';
  readonly contact: Contact;
  /** The id of the event. */
  readonly event: string;
  readonly at: number;
}

export function packed(changes: readonly Change[]): readonly (Change | Packed)[] {
  const records: (Change | Packed)[] = [];
  let previous: Change | undefined;
  for (const change of changes) {
    const both = previous && (sentIn(previous, change) ?? createdIn(previous, change));
    if (previous) records.push(both ?? previous);
    previous = both ? undefined : change;
  }
  if (previous) records.push(previous);
  return records;
}

export function unpacked(records: readonly (Change | Packed)[]): readonly Change[] {
  return records.flatMap((record): readonly Change[] => {
    if (record.type === 'sent') return [messageOf(record), callOf(record)];
    return record.type === 'created' ? [{ type: 'contact', contact: record.contact }, eventOf(record)] : [record];
  });
}

const { method, path: target } = endpoints.sendTemplate;

/** Undefined if anything differs from what `messageOf` and `callOf` return. */
function sentIn(first: Change, second: Change): Sent | undefined {
  if (first.type !== 'message' || second.type !== 'call') return undefined;
  const { id, to, template, params, mode, key, campaign, sentAt: at, receipts } = first.message;
  const { call } = second;
  const [delivered, read] = receipts;
  if (delivered?.type !== 'message.delivered' || read?.type !== 'message.read') return undefined;
  if (first.progress || campaign !== undefined) return undefined;
  if (call.message !== id || call.key !== key || call.at !== at || call.status !== 200) return undefined;
  if (call.method !== method || call.target !== target || call.detail !== undefined || call.matched) return undefined;
  return { type: 'sent', id, to, template, params, mode, key, at, delays: [delivered.at - at, read.at - at] };
}

function messageOf({ id, to, template, params, mode, key, at, delays }: Sent): Change {
  const [delivered, read] = delays;
  const receipts = [
    { type: 'message.delivered', at: at + delivered },
    { type: 'message.read', at: at + read },
  ] as const;
  return { type: 'message', message: { id, to, template, params, mode, key, sentAt: at, receipts } };
}

function callOf({ id, key, at }: Sent): Change {
  return { type: 'call', call: { at, method, target, key, status: 200, message: id } };
}

/** Undefined if anything differs from what `eventOf` returns. */
function createdIn(first: Change, second: Change): Created | undefined {
  if (first.type !== 'contact' || second.type !== 'event') return undefined;
  const { contact } = first;
  const { id, type, at, data, message } = second.event;
  return type === 'contact.created' && data === contact && message === undefined
    ? { type: 'created', contact, event: id, at }
    : undefined;
}

function eventOf({ contact, event, at }: Created): Change {
  return { type: 'event', event: { id: event, type: 'contact.created', at, data: contact } };
}
