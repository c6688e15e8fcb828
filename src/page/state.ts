import { outcomeOf, replaces } from '../contract/events.ts';
import type { FeedRecord, Topic } from '../sandbox/control/stream.ts';

type Rows<K> = Extract<FeedRecord, { readonly kind: K; readonly rows: unknown }>['rows'] extends readonly (infer R)[]
  ? R
  : never;

export type Reply = Rows<'replies'>;
export type SandboxEvent = Rows<'events'>;
export type Request = Rows<'requests'>;

export interface Message extends Rows<'messages'> {
  /** Time of the last receipt. */
  readonly changedAt?: number | undefined;
  readonly reason?: string | undefined;
}

/** The page's state, from its stream. */
export interface PageState {
  /** Whether the first records have arrived. */
  readonly isLoaded: boolean;
  readonly messages: readonly Message[];
  readonly replies: readonly Reply[];
  readonly events: readonly SandboxEvent[];
  readonly requests: readonly Request[];
  /** When the next receipt or delivery is due. */
  readonly due: number | null;
  /** Counts the changes of each topic: a screen asks again when its topic's count moves. */
  readonly versions: Readonly<Partial<Record<Topic, number>>>;
}

export const emptyState: PageState = {
  isLoaded: false,
  messages: [],
  replies: [],
  events: [],
  requests: [],
  due: null,
  versions: {},
};

/** The most records of a kind that the page keeps. */
const most = 20_000;

export function reduce(state: PageState, record: FeedRecord): PageState {
  switch (record.kind) {
    case 'reset':
      return { ...emptyState, versions: state.versions };
    case 'messages':
      return { ...state, isLoaded: true, messages: joined(state.messages, record.rows) };
    case 'replies':
      return { ...state, isLoaded: true, replies: joined(state.replies, record.rows) };
    case 'events':
      return {
        ...state,
        isLoaded: true,
        events: joined(state.events, record.rows),
        messages: withReceipts(state.messages, record.rows),
      };
    case 'requests':
      return { ...state, isLoaded: true, requests: joined(state.requests, record.rows) };
    case 'due':
      return { ...state, due: record.at };
    case 'changed':
      return { ...state, isLoaded: true, versions: moved(state.versions, record.topics) };
    default:
      return state;
  }
}

function moved(versions: PageState['versions'], topics: readonly Topic[]): PageState['versions'] {
  return { ...versions, ...Object.fromEntries(topics.map((topic) => [topic, (versions[topic] ?? 0) + 1])) };
}

function joined<T>(known: readonly T[], added: readonly T[]): readonly T[] {
  return [...known, ...added].slice(-most);
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
function withReceipt(message: Message, { type, at, data }: SandboxEvent): Message {
  const status = outcomeOf(type);
  if (!status || replaces(message.status, status)) return message;
  return { ...message, status, changedAt: at, reason: reasonIn(data) ?? message.reason };
}

function reasonIn({ reason }: SandboxEvent['data']): string | undefined {
  if (typeof reason !== 'object' || reason === null) return undefined;
  const parts: readonly unknown[] = Object.values(reason);
  return parts.filter((part) => typeof part === 'string').join(': ');
}

export function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
