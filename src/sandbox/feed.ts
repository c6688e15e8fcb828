import { type DeliveryRecord, deliveryRecords } from './events/deliveries.ts';
import type { SandboxEvent } from './state/records.ts';
import type { Happening, State, Store } from './state/state.ts';
import { type AdjustableClock, longestTimer } from './time/clock.ts';
import { messageRow, type RequestRow, requestRow } from './views.ts';

/** The records of a kind that a page gets at its start. It asks for older ones. */
const atFirst = 500;
/** The most records of a kind that a page gets together. A page that is further behind starts over. */
const mostBehind = 5_000;

/** The records of a log. */
export type FeedRows = ReturnType<typeof feedRows>;

export const feedKinds = ['messages', 'replies', 'events', 'requests'] as const;
type Kind = (typeof feedKinds)[number];

/** A step of the page's state. */
export type FeedRecord =
  /** The page forgets its records; the newest ones follow. The cursors are theirs: older ones come on demand. */
  | { readonly kind: 'reset'; readonly from: Readonly<Record<Kind, number>> }
  | FeedRows
  /** When the next receipt or delivery is due on the sandbox's clock. */
  | { readonly kind: 'due'; readonly at: number | null }
  /** The page must ask for these again, if it shows them. */
  | { readonly kind: 'changed'; readonly topics: readonly Topic[] };

export type OpenFeed = ReturnType<typeof createFeeds>;

/** The parts of the state without a log. */
const topics = {
  clock: 'clock',
  contents: 'contents',
  event: 'deliveries',
  delivery: 'deliveries',
  attempt: 'deliveries',
  faults: 'faults',
  keys: 'keys',
  plan: 'usage',
  request: 'usage',
  webhooks: 'webhooks',
  message: undefined,
  reset: undefined,
} as const satisfies Readonly<Record<Happening['type'], string | undefined>>;

export type Topic = NonNullable<(typeof topics)[Happening['type']]>;

const allTopics = [...new Set(Object.values(topics))].filter((topic) => topic !== undefined);

/**
 * Returns a function that opens a feed after a cursor, and calls `wake` whenever there are new records. It reads the state
 * when asked, so that a change costs nothing but a note that there is one.
 */
export function createFeeds(store: Store, clock: AdjustableClock) {
  const { state, follow } = store;
  return (after: string | null, wake: () => void) => {
    let since = cursorsIn(after, state);
    let due: number | null | undefined;
    // Changes before this feed was opened are unknown.
    const changed = new Set<Topic>(allTopics);
    const stop = follow(({ type }) => {
      const topic = topics[type];
      if (topic) changed.add(topic);
      if (type === 'reset') {
        since = undefined;
        for (const one of allTopics) changed.add(one);
      }
      wake();
    });
    return {
      stop,
      /** The records since the last call, and the cursor after them. */
      take() {
        const records = recordsSince(since, state);
        since = cursorsOf(state);
        if (changed.size > 0) records.push({ kind: 'changed', topics: [...changed] });
        changed.clear();
        const next = clock.nextAt() ?? null;
        if (next !== due) records.push({ kind: 'due', at: (due = next) });
        return { cursor: [...Object.values(since), state.dataId].join('.'), records };
      },
    };
  };
}

type Cursors = Readonly<Record<Kind, number>>;

function cursorsOf({ messages, replies, events, requests }: State): Cursors {
  return { messages: messages.next, replies: replies.next, events: events.next, requests: requests.next };
}

/** Undefined if the text is not a cursor of this data. */
function cursorsIn(text: string | null, { dataId }: State): Cursors | undefined {
  const [, numbers = '', id] = /^((?:\d{1,15}\.){4})(.*)$/.exec(text ?? '') ?? [];
  if (id !== dataId) return undefined;
  const [messages = 0, replies = 0, events = 0, requests = 0] = numbers.split('.', 4).map(Number);
  return { messages, replies, events, requests };
}

function recordsSince(since: Cursors | undefined, state: State): FeedRecord[] {
  const now = cursorsOf(state);
  const isNear = since && feedKinds.every((kind) => since[kind] <= now[kind] && now[kind] - since[kind] <= mostBehind);
  const newest = (kind: Kind) => Math.max(0, now[kind] - atFirst);
  const from = isNear
    ? since
    : {
        messages: newest('messages'),
        replies: newest('replies'),
        events: newest('events'),
        requests: newest('requests'),
      };
  const rows = feedKinds.map((kind) => feedRows(state, kind, from[kind])).filter((record) => record.rows.length > 0);
  return isNear ? rows : [{ kind: 'reset', from }, ...rows];
}

/** The records of a log between two cursors, as a page shows them. */
export function feedRows(state: State, kind: Kind, from: number, to?: number) {
  if (kind === 'replies') return { kind, rows: state.replies.between(from, to) };
  if (kind === 'events') return { kind, rows: state.events.between(from, to).map(({ event }) => event) };
  if (kind === 'requests') return { kind, rows: state.requests.between(from, to).map(requestRow) };
  const messages = state.messages.between(from, to);
  return { kind, rows: messages.map((message) => ({ ...messageRow(message, state), campaign: message.campaign })) };
}

/** A request that was answered, or an event with the result of an attempt to deliver it. */
export type Happened = ({ readonly type: 'request' } & RequestRow) | HappenedEvent;

export interface HappenedEvent {
  readonly type: 'event';
  readonly event: SandboxEvent;
  /** After its last attempt; null without a webhook. */
  readonly delivery: DeliveryRecord | null;
}

/** Calls the listener for each request, for each event without a webhook, and for each attempt to deliver another. */
export function createWatch({ state, follow }: Store): (listener: (happened: Happened) => void) => void {
  return (listener) =>
    follow((what) => {
      const happened = happenedIn(what);
      // The events of a request happen before its row in the log.
      if (happened?.type === 'event') queueMicrotask(() => listener(happened));
      else if (happened) listener(happened);
    });

  function happenedIn(what: Happening): Happened | undefined {
    if (what.type === 'request') return { type: 'request', ...requestRow(what.call) };
    if (what.type === 'event' && what.emitted.deliveries.length === 0)
      return { type: 'event', event: what.emitted.event, delivery: null };
    if (what.type !== 'attempt') return undefined;
    const event = state.events.get(what.id)?.event;
    const [delivery] = deliveryRecords(state, what.id);
    return event && delivery ? { type: 'event', event, delivery } : undefined;
  }
}

export interface WaitLimit {
  /** Milliseconds of real time. */
  readonly within?: number;
  readonly signal?: AbortSignal;
}

/** Returns a function that resolves at the next event, request or message, after a time, or when aborted. */
export function createWait({ follow }: Store) {
  return (type: 'event' | 'request' | 'message', { within = Infinity, signal }: WaitLimit = {}) =>
    new Promise<void>((resolve) => {
      if (within <= 0 || signal?.aborted) return resolve();
      const wake = () => {
        clearTimeout(timer);
        stop();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const stop = follow((what) => what.type === type && wake());
      const timer = setTimeout(wake, Math.min(within, longestTimer));
      signal?.addEventListener('abort', wake);
    });
}
