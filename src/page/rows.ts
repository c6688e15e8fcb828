import { outcomeOf } from '../contract/events.ts';
import { groupBy, type Message, type Records, type Request, type SandboxEvent } from './state.ts';
import { isFailed, reasonIn } from '../sandbox/control/story.ts';
import { countText, hasWords } from './words.ts';

/** A message, reply, broadcast, event or request with what followed from it. */
export interface Row {
  readonly kind: 'message' | 'reply' | 'broadcast' | 'event' | 'request';
  readonly id: string;
  readonly at: number;
  /** The number whose phone is shown; empty without one. */
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
  readonly count?: number;
}

/** The newest first. With a frozen clock, many rows have the same time: then their order counts. */
export function rowsOf({ messages, events, requests }: Records): readonly Row[] {
  const campaigns = new Map(messages.map(({ id, campaign }) => [id, campaign]));
  const eventsOf = groupBy(
    events,
    ({ id, message = id, data }) => campaigns.get(message) ?? textsIn(data, ['campaign_id'])[0] ?? message,
  );
  const take = (id: string) => {
    const taken = eventsOf.get(id) ?? [];
    eventsOf.delete(id);
    return taken;
  };
  const bad = new Map(requests.filter(isFailed).map((request) => [request.message_id, request]));
  const sent = groupBy(messages, ({ id, campaign = id }) => campaign);
  const ofMessages = Array.from(sent, ([id, all]) => {
    const [first] = all;
    return first?.id === id ? messageRow(first, take(id), bad.get(id)) : broadcastRow(id, all, take(id));
  });
  // A receipt of a message that the page does not have is not a row of its own.
  const ofEvents = [...eventsOf].flatMap(([id, [event]]) =>
    !event || outcomeOf(event.type) ? [] : eventRow(id, event),
  );
  const all = [...ofMessages, ...requestRows(requests), ...ofEvents];
  return folded(all.sort((a, b) => a.at - b.at || orderOf(a) - orderOf(b)).reverse());
}

/** Ids end with a serial number. */
function orderOf({ id }: Row): number {
  return Number.parseInt(id.slice(-6), 36) || 0;
}

function messageRow(message: Message, events: readonly SandboxEvent[], request: Request | undefined): Row {
  const { id, to: phone, sent_at: at, reason } = message;
  const failure = message.status === 'failed' ? (reason ?? reasonOf(events) ?? 'failed') : undefined;
  const answer = request && `${request.status || 'nothing'}${request.fault === null ? '' : ' by a fault'}`;
  const problem = failure ?? (answer && `sent, but answered ${answer}`);
  const text = problem ?? message.text ?? message.template;
  return { kind: 'message', id, at: Date.parse(at), phone, text, isBad: !!problem, message, request, events };
}

/** It shows the phone of its first message. */
function broadcastRow(id: string, messages: readonly Message[], events: readonly SandboxEvent[]): Row {
  const failed = messages.filter(({ status }) => status === 'failed').length;
  const { to: phone = '', template, sent_at: at = '' } = messages[0] ?? {};
  const text = `${countText(messages.length, 'message')} of ${template}${failed === 0 ? '' : `, ${failed} failed`}`;
  const rest = { phone, title: 'broadcast.completed', isBad: failed > 0, messages };
  // Its messages have too many events to ask for.
  return { kind: 'broadcast', id, at: Date.parse(at), text, events: events.filter(({ message }) => !message), ...rest };
}

/** Their ids end with the serial number of the message before, for the order. */
function requestRows(requests: readonly Request[]): readonly Row[] {
  let [nth, serial] = [0, ''];
  return requests.flatMap((request, index): readonly Row[] => {
    const { at, method, path, detail, message_id: message } = request;
    nth = requests[index - 1]?.at === at ? nth + 1 : 0;
    if (message) serial = message.slice(-6);
    if (message) return [];
    const id = `request-${at}-${nth}-${serial}`;
    const title = `${method} ${path.replace(/\?.*|\/api\/public\//g, '')}`.replace('POST messages/', '');
    const rest = { phone: '', text: detail ?? '', isBad: isFailed(request), request, events: [] };
    return [{ kind: 'request', id, at: Date.parse(at), title, ...rest }];
  });
}

function eventRow(id: string, event: SandboxEvent): Row {
  const { type, at, data } = event;
  const [phone = ''] = textsIn(data, ['from', 'phone']);
  // The text of a reply, the name of a contact, or the amount that was paid.
  const text = textsIn(data, ['text', 'name', 'flow', 'amount', 'currency']).join(' ');
  const rest = { id, at, phone, text, isBad: false, events: [event] };
  return type === 'message.received' ? { kind: 'reply', ...rest } : { kind: 'event', title: type, ...rest };
}

function reasonOf(events: readonly SandboxEvent[]): string | undefined {
  return events.map(({ data }) => reasonIn(data)).find(Boolean);
}

function textsIn(data: SandboxEvent['data'], names: readonly string[]): readonly string[] {
  return names.map((name) => data[name]).filter((text) => typeof text === 'string');
}

/** Equal requests that follow each other become one row. Its id is that of the oldest, so that it stays the same row. */
function folded(rows: readonly Row[]): readonly Row[] {
  const all: Row[] = [];
  for (const row of rows) {
    const before = all.at(-1);
    if (before && isEqual(before, row)) all[all.length - 1] = { ...before, id: row.id, count: (before.count ?? 1) + 1 };
    else all.push(row);
  }
  return all;
}

function isEqual(before: Row, { kind, title, text, request }: Row): boolean {
  if (kind !== 'request') return false;
  return before.title === title && before.text === text && before.request?.status === request?.status;
}

/** Whether the row contains all words. */
export function isMatch(row: Row, name: string, filter: string): boolean {
  const { id, phone, title, text, message, request, events } = row;
  const ofMessage = [message?.template, message?.text, message?.status, request?.status];
  return hasWords([id, phone, title, text, name, ...ofMessage, ...events.map(({ type }) => type)].join(' '), filter);
}
