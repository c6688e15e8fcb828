import type { OutputOf } from '../sandbox/control/operations.ts';
import { groupBy, type Message, reasonIn, type Records, type Request, type SandboxEvent } from './state.ts';
import { countText, requestText } from './words.ts';

export type RowKind = 'message' | 'reply' | 'broadcast' | 'event' | 'request';

/** A message, reply, broadcast, event or request with what followed from it. */
export interface Row {
  readonly kind: RowKind;
  readonly id: string;
  readonly at: number;
  /** The number that it is about; empty if it is about none. */
  readonly phone: string;
  /** Shown instead of the number. */
  readonly title?: string;
  readonly text: string;
  /** Whether the text is the reason of a failure. */
  readonly isBad: boolean;
  readonly message?: Message | undefined;
  /** If the row has no message, or an error as its answer. */
  readonly request?: Request | undefined;
  readonly events: readonly SandboxEvent[];
  /** The messages of a broadcast. */
  readonly messages?: readonly Message[];
  /** The number of equal neighbors that it stands for. */
  readonly count: number;
}

/** The newest first. With a frozen clock, many rows have the same time: then their order counts. */
export function rowsOf({ messages, events, requests }: Records): readonly Row[] {
  const campaigns = new Map(messages.map(({ id, campaign }) => [id, campaign]));
  const eventsOf = groupBy(
    events,
    ({ id, message = id, data }) => campaigns.get(message) ?? campaignIn(data) ?? message,
  );
  const take = (id: string) => {
    const taken = eventsOf.get(id) ?? [];
    eventsOf.delete(id);
    return taken;
  };
  const bad = new Map(requests.filter(isBad).map((request) => [request.message_id, request]));
  const [single, sent] = [messages.filter((one) => !one.campaign), messages.filter((one) => one.campaign)];
  const ofMessages = single.map((message) => messageRow(message, take(message.id), bad.get(message.id)));
  const ofBroadcasts = Array.from(
    groupBy(sent, ({ campaign }) => campaign),
    ([id = '', of]) => broadcastRow(id, of, take(id)),
  );
  const ofRequests = requestRows(requests);
  const ofEvents = Array.from(eventsOf, ([id, events]) => eventRow(id, events));
  const all = [...ofMessages, ...ofBroadcasts, ...ofRequests, ...ofEvents];
  return folded(all.sort((one, other) => one.at - other.at || orderOf(one) - orderOf(other)).reverse());
}

/** Ids end with a serial number. */
function orderOf({ id }: Row): number {
  return Number.parseInt(id.slice(-6), 36) || 0;
}

function messageRow(message: Message, events: readonly SandboxEvent[], request: Request | undefined): Row {
  const { id, to: phone, sent_at: at, reason } = message;
  const failure = message.status === 'failed' ? (reason ?? reasonOf(events) ?? 'failed') : undefined;
  const problem = failure ?? (request && `sent, but answered ${answerText(request)}`);
  const text = problem ?? message.text ?? message.template;
  return { kind: 'message', id, at: Date.parse(at), phone, text, isBad: !!problem, message, request, events, count: 1 };
}

function broadcastRow(id: string, messages: readonly Message[], events: readonly SandboxEvent[]): Row {
  const failed = messages.filter(({ status }) => status === 'failed').length;
  const [first] = messages;
  const text = `${countText(messages.length, 'message')} of ${first?.template ?? ''}${failed === 0 ? '' : `, ${failed} failed`}`;
  const at = Date.parse(first?.sent_at ?? '');
  const rest = { phone: '', title: 'broadcast', isBad: failed > 0, messages, count: 1 };
  // Its messages have too many events to ask for.
  return { kind: 'broadcast', id, at, text, events: events.filter(({ message }) => !message), ...rest };
}

/** Their ids end with the serial number of the message before, for the order. */
function requestRows(requests: readonly Request[]): readonly Row[] {
  let [nth, serial] = [0, ''];
  return requests.flatMap((request, index): readonly Row[] => {
    const { at, method, path, detail, message_id: message } = request;
    nth = requests[index - 1]?.at === at ? nth + 1 : 0;
    if (message) serial = message.slice(-6);
    if (message) return [];
    const rest = { phone: '', text: detail ?? '', isBad: isBad(request), request, events: [], count: 1 };
    const id = `request-${at}-${nth}-${serial}`;
    return [{ kind: 'request', id, at: Date.parse(at), title: requestText(method, path), ...rest }];
  });
}

function eventRow(id: string, events: readonly SandboxEvent[]): Row {
  const [first] = events;
  const { type = '', at = 0, data = {} } = first ?? {};
  const isReply = type === 'message.received';
  const failure = reasonOf(events);
  const rest = { id, at, phone: phoneIn(data), text: failure ?? textIn(data), isBad: !!failure, events, count: 1 };
  if (isReply) return { kind: 'reply', ...rest };
  // A message that is older than what the page has.
  if (type.startsWith('message.')) return { kind: 'message', ...rest, text: rest.text || type };
  return { kind: 'event', title: type, ...rest };
}

function reasonOf(events: readonly SandboxEvent[]): string | undefined {
  return events.map(({ data }) => reasonIn(data)).find(Boolean);
}

function isBad({ status }: Request): boolean {
  return status === 0 || status >= 400;
}

function answerText({ status, fault }: Request): string {
  return `${status === 0 ? 'nothing' : status}${fault === null ? '' : ' by a fault'}`;
}

function campaignIn({ campaign_id: id }: SandboxEvent['data']): string | undefined {
  return typeof id === 'string' ? id : undefined;
}

function phoneIn({ to, from, phone }: SandboxEvent['data']): string {
  return [to, from, phone].find((text) => typeof text === 'string') ?? '';
}

/** The text of a reply, the name of a contact, or the amount that was paid. */
function textIn(data: SandboxEvent['data']): string {
  const parts = [data['text'], data['name'], data['flow'], data['amount'], data['currency']];
  return parts.filter((part) => typeof part === 'string').join(' ');
}

/** Equal requests that follow each other become one row. */
function folded(rows: readonly Row[]): readonly Row[] {
  const all: Row[] = [];
  for (const row of rows) {
    const before = all.at(-1);
    if (before && isEqual(before, row)) all[all.length - 1] = { ...before, id: row.id, count: before.count + 1 };
    else all.push(row);
  }
  return all;
}

/** The id stays that of the oldest, so that the row stays the same when others follow. */
function isEqual(one: Row, { title, text, request }: Row): boolean {
  if (!request || one.kind !== 'request') return false;
  return one.title === title && one.text === text && one.request?.status === request.status;
}

/** The records for rows of problems. */
export function problemRecords(found: OutputOf<'problems'>, loaded: ReadonlyMap<string, Message>): Records {
  const { events, requests } = found;
  const others = [...events.map(({ message }) => message), ...requests.map(({ message_id: id }) => id)];
  const messages = new Map<string, Message>(found.messages.map((message) => [message.id, message]));
  for (const id of [...messages.keys(), ...others]) {
    const message = loaded.get(id ?? '');
    if (message) messages.set(message.id, message);
  }
  return { messages: [...messages.values()], events, requests };
}

/** Whether the row contains all words. */
export function isMatch(
  { id, phone, title = '', text, message, request, events }: Row,
  name: string,
  filter: string,
): boolean {
  const types = events.map(({ type }) => type);
  const all = [
    id,
    phone,
    title,
    text,
    name,
    message?.template,
    message?.text,
    message?.status,
    request?.status,
    ...types,
  ];
  const where = all.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word));
}
