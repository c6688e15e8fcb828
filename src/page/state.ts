import { outcomeOf, replaces } from '../contract/events.ts';
import type { OutputOf } from '../sandbox/control/operations.ts';
import type { FeedRecord, Topic } from '../sandbox/control/stream.ts';

type Rows<K> = Extract<FeedRecord, { readonly kind: K; readonly rows: unknown }>['rows'] extends readonly (infer R)[]
  ? R
  : never;

export type SandboxEvent = Rows<'events'>;
export type Request = Rows<'requests'>;

export interface Message extends Omit<Rows<'messages'>, 'campaign'> {
  readonly campaign?: string | undefined;
  readonly reason?: string | undefined;
}

/** The logs of the sandbox that the page shows. */
export const logs = ['messages', 'events', 'requests'] as const;
export type LogName = (typeof logs)[number];

/** Some records of the logs, oldest first. */
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

/** The most records of a log that the page keeps. */
const most = 20_000;

/** Applies a record of the stream. */
export function reduce(state: PageState, record: FeedRecord): PageState {
  switch (record.kind) {
    case 'reset':
      return { ...emptyState, isLoaded: true, older: record.from, versions: state.versions };
    case 'messages':
      return { ...state, messages: joined(state.messages, record.rows) };
    case 'events':
      return {
        ...state,
        events: joined(state.events, record.rows),
        messages: withReceipts(state.messages, record.rows),
      };
    case 'requests':
      return { ...state, requests: joined(state.requests, record.rows) };
    case 'due':
      return { ...state, due: record.at };
    case 'changed':
      return { ...state, isLoaded: true, versions: moved(state.versions, record.topics) };
    // A reply is an event, too.
    case 'replies':
    default:
      return state;
  }
}

/** Adds a part of a log before what the page has. An empty part is the beginning of the log. */
export function withOlder(state: PageState, { kind, rows }: OutputOf<'older'>): PageState {
  if (kind === 'replies') return state;
  const older = rows.length === 0 ? 0 : Math.max(0, state.older[kind] - rows.length);
  return { ...state, older: { ...state.older, [kind]: older }, [kind]: [...rows, ...state[kind]] };
}

/** The log whose records go back least, if the sandbox has older ones of it; and how far they go back. */
export function boundaryOf(state: PageState): { readonly log: LogName; readonly at: number } | undefined {
  const open = logs.filter((log) => state.older[log] > 0);
  const { messages, events, requests } = state;
  const first = { messages: messages[0]?.sent_at, events: events[0]?.at, requests: requests[0]?.at };
  const timeOf = (at: string | number | undefined) => (at === undefined ? Infinity : new Date(at).getTime());
  const all = open.map((log) => ({ log, at: timeOf(first[log]) }));
  return all.toSorted((one, other) => other.at - one.at)[0];
}

function moved(versions: PageState['versions'], topics: readonly Topic[]): PageState['versions'] {
  return { ...versions, ...Object.fromEntries(topics.map((topic) => [topic, (versions[topic] ?? 0) + 1])) };
}

function joined<T>(before: readonly T[], added: readonly T[]): readonly T[] {
  return [...before, ...added].slice(-most);
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
  return { ...message, status, reason: reasonIn(data) ?? message.reason };
}

/** Whether a request was answered with an error, or not at all. */
export function isFailed({ status }: Pick<Request, 'status'>): boolean {
  return status === 0 || status >= 400;
}

export function reasonIn({ reason }: SandboxEvent['data']): string | undefined {
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
