import { signal } from '@preact/signals';
import { outcomeOf, replaces } from '../contract/events.ts';
import type { FeedRecord, FeedRows, LogName, Topic } from '../sandbox/control/feed.ts';
import { reasonIn } from '../sandbox/control/story.ts';

export type SandboxEvent = Extract<FeedRecord, { readonly kind: 'events' }>['rows'][number];
export type Request = Extract<FeedRecord, { readonly kind: 'requests' }>['rows'][number];
export type Message = Extract<FeedRecord, { readonly kind: 'messages' }>['rows'][number] & {
  readonly reason?: string | undefined;
};

/** Some records of the sandbox's logs, oldest first. */
export interface Records {
  readonly messages: readonly Message[];
  readonly events: readonly SandboxEvent[];
  readonly requests: readonly Request[];
}

/** The page's state, from its stream. */
export interface PageState extends Records {
  /** Whether the first records have arrived. */
  readonly isLoaded: boolean;
  /** The number of older records that each log has had. */
  readonly older: Readonly<Record<LogName, number>>;
  /** When the next receipt or delivery is due. */
  readonly due: number | null;
  /** Counts the changes of each topic: what shows a topic asks again when its count moves. */
  readonly versions: Readonly<Partial<Record<Topic, number>>>;
}

export const emptyState: PageState = {
  isLoaded: false,
  messages: [],
  events: [],
  requests: [],
  older: { messages: 0, events: 0, requests: 0 },
  due: null,
  versions: {},
};

export const state = signal(emptyState);

/** The most records of a log that the page keeps. */
const most = 20_000;

/** Applies a record of the stream. */
export function reduce(state: PageState, record: FeedRecord): PageState {
  if (record.kind === 'reset') return { ...emptyState, isLoaded: true, older: record.from, versions: state.versions };
  if (record.kind === 'due') return { ...state, due: record.at };
  if (record.kind === 'changed') return { ...state, isLoaded: true, versions: moved(state.versions, record.topics) };
  return added(state, record);
}

function added(state: PageState, { kind, rows }: FeedRows): PageState {
  const messages = kind === 'events' ? withReceipts(state.messages, rows) : state.messages;
  return { ...state, messages, [kind]: [...state[kind], ...rows].slice(-most) };
}

/** Adds a part of a log before what the page has. An empty part is the beginning of the log. */
export function withOlder(state: PageState, { kind, rows }: FeedRows): PageState {
  const older = rows.length === 0 ? 0 : Math.max(0, state.older[kind] - rows.length);
  return { ...state, older: { ...state.older, [kind]: older }, [kind]: [...rows, ...state[kind]] };
}

/** The log whose records go back least, if the sandbox has older ones of it; and how far they go back. */
export function boundaryOf({ older, messages, events, requests }: PageState) {
  const all = [
    { log: 'messages', at: Date.parse(messages[0]?.sent_at ?? '') },
    { log: 'events', at: events[0]?.at },
    { log: 'requests', at: Date.parse(requests[0]?.at ?? '') },
  ] as const;
  const open = all.map(({ log, at }) => ({ log, at: at || Infinity })).filter(({ log }) => older[log] > 0);
  return open.sort((a, b) => b.at - a.at)[0];
}

function moved(versions: PageState['versions'], topics: readonly Topic[]): PageState['versions'] {
  return { ...versions, ...Object.fromEntries(topics.map((topic) => [topic, (versions[topic] ?? 0) + 1])) };
}

function withReceipts(messages: readonly Message[], events: readonly SandboxEvent[]): readonly Message[] {
  const receipts = groupBy(
    events.filter(({ type }) => outcomeOf(type)),
    ({ message }) => message,
  );
  if (receipts.size === 0) return messages;
  return messages.map((message) => (receipts.get(message.id) ?? []).reduce(withReceipt, message));
}

/** A message may arrive with a status that is newer than the event. */
function withReceipt(message: Message, { type, data }: SandboxEvent): Message {
  const status = outcomeOf(type);
  if (!status || replaces(message.status, status)) return message;
  return { ...message, status, reason: reasonIn(data) || message.reason };
}

export function groupBy<T, K>(all: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of all) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
