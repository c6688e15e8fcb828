import type { Message } from '../state/records.ts';
import type { Happening, State, Store } from '../state/state.ts';
import type { AdjustableClock } from '../time/clock.ts';
import { messageRow, requestRow } from '../views.ts';

/** The records of a log that a page gets at its start. It asks for older ones. */
const atFirst = 500;
/** The most records of a log that a page gets together. A page that is further behind starts over. */
const mostBehind = 5_000;

export const logs = ['messages', 'events', 'requests'] as const;
export type LogName = (typeof logs)[number];

/** A step of the page's state. */
export type FeedRecord =
  /** The page forgets its records; the newest ones follow. The cursors are theirs: older ones come on demand. */
  | { readonly kind: 'reset'; readonly from: Cursors }
  | FeedRows
  /** When the next receipt or delivery is due on the sandbox's clock. */
  | { readonly kind: 'due'; readonly at: number | null }
  /** The page must ask for these again, if it shows them. */
  | { readonly kind: 'changed'; readonly topics: readonly Topic[] };

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

export type OpenFeed = ReturnType<typeof createFeeds>;

/**
 * Returns a function that opens a feed after a cursor, and calls `wake` whenever there are new records. It reads the state
 * when asked, so that a change costs nothing but a note that there is one.
 */
export function createFeeds({ state, follow }: Store, clock: AdjustableClock) {
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
        for (const topic of allTopics) changed.add(topic);
      }
      wake();
    });
    return {
      stop,
      /** The records since the last call, and the cursor after them. */
      take() {
        const records = recordsSince(since, state);
        since = cursors((log) => state[log].next);
        if (changed.size > 0) records.push({ kind: 'changed', topics: [...changed] });
        changed.clear();
        const next = clock.nextAt() ?? null;
        if (next !== due) records.push({ kind: 'due', at: (due = next) });
        return { cursor: [...Object.values(since), state.dataId].join('.'), records };
      },
    };
  };
}

type Cursors = Readonly<Record<LogName, number>>;

function cursors(of: (log: LogName) => number): Cursors {
  return { messages: of('messages'), events: of('events'), requests: of('requests') };
}

/** Undefined if the text is not a cursor of this data. */
function cursorsIn(text: string | null, { dataId }: State): Cursors | undefined {
  const [, messages, events, requests, id] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(.*)$/.exec(text ?? '') ?? [];
  if (id !== dataId) return undefined;
  return { messages: Number(messages), events: Number(events), requests: Number(requests) };
}

function recordsSince(since: Cursors | undefined, state: State): FeedRecord[] {
  const isNear = since && logs.map((log) => state[log].next - since[log]).every((by) => by >= 0 && by <= mostBehind);
  const from = isNear ? since : cursors((log) => Math.max(0, state[log].next - atFirst));
  const rows = logs.map((log) => feedRows(state, log, from[log])).filter((record) => record.rows.length > 0);
  return isNear ? rows : [{ kind: 'reset', from }, ...rows];
}

export type FeedRows = ReturnType<typeof feedRows>;

/** The records of a log between two cursors, as a page shows them. */
export function feedRows(state: State, kind: LogName, from: number, to?: number) {
  if (kind === 'events') return { kind, rows: state.events.between(from, to).map(({ event }) => event) };
  if (kind === 'requests') return { kind, rows: state.requests.between(from, to).map(requestRow) };
  return { kind, rows: state.messages.between(from, to).map((message) => pageMessage(message, state)) };
}

/** With its campaign, since the page shows a broadcast as one row. */
export function pageMessage(message: Message, state: State) {
  return { ...messageRow(message, state), campaign: message.campaign };
}
