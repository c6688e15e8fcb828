import type { Adjustments } from './adjustments.ts';
import type { OpenFeed } from './interface.ts';
import { messageRow } from './messages.ts';
import { requestRow } from './requests.ts';
import type { FeedRecord, Topic } from './rows.ts';
import type { Change } from './state/records.ts';
import type { State, Store } from './state/state.ts';
import type { AdjustableClock } from './time/clock.ts';

/** The most records of a kind that a page gets together. A page that is further behind starts over with the newest. */
const mostBehind = 5_000;

const topics: Readonly<Partial<Record<Change['type'], Topic>>> = {
  clock: 'clock',
  contact: 'contents',
  template: 'contents',
  campaign: 'contents',
  event: 'deliveries',
  delivery: 'deliveries',
  attempt: 'deliveries',
  redelivery: 'deliveries',
  fault: 'faults',
  'fault-cleared': 'faults',
  key: 'keys',
  revoke: 'keys',
  'go-live': 'keys',
  plan: 'usage',
  call: 'usage',
  secret: 'webhooks',
  webhook: 'webhooks',
  'webhook-secret': 'webhooks',
  'webhook-disabled': 'webhooks',
  'webhook-removed': 'webhooks',
};

interface FeedOptions {
  readonly store: Store;
  readonly clock: Pick<AdjustableClock, 'nextAt'>;
  readonly adjustments: Adjustments;
}

/** Reads the logs of the state when asked, so that a change costs nothing but a note that there is one. */
export function createFeeds({ store, clock, adjustments }: FeedOptions): OpenFeed {
  const { state, follow } = store;
  return (after, wake) => {
    let cursor = positionIn(after, state);
    let due: number | null | undefined;
    let adjusted = 0;
    // Changes before this feed was opened are unknown.
    const changed = new Set<Topic>(Object.values(topics));
    const stop = follow(({ type }) => {
      const topic = topics[type];
      if (topic) changed.add(topic);
      if (type === 'reset') {
        cursor = undefined;
        adjusted = 0;
        for (const one of Object.values(topics)) changed.add(one);
      }
      wake();
    });
    return {
      stop,
      take() {
        const records = recordsSince(cursor, state);
        if (changed.size > 0) records.push({ kind: 'changed', topics: [...changed] });
        changed.clear();
        if (adjustments.version() !== adjusted) records.push({ kind: 'adjustments', rows: adjustments.list() });
        adjusted = adjustments.version();
        const next = clock.nextAt() ?? null;
        if (next !== due) records.push({ kind: 'due', at: (due = next) });
        cursor = positionOf(state);
        return { cursor: textOf(cursor), records };
      },
    };
  };
}

/** One count for each kind of record, and the id of the data that they count. */
interface Position {
  readonly dataId: string;
  readonly messages: number;
  readonly replies: number;
  readonly events: number;
  readonly requests: number;
}

function positionOf({ dataId, messageIds, inbound, events, calls }: State): Position {
  return {
    dataId,
    messages: messageIds.cursor,
    replies: inbound.cursor,
    events: events.cursor,
    requests: calls.cursor,
  };
}

function textOf({ messages, replies, events, requests, dataId }: Position): string {
  return [messages, replies, events, requests, dataId].join('.');
}

/** Undefined if the cursor is not one of this data. */
function positionIn(text: string | undefined, state: State): Position | undefined {
  const [, messages, replies, events, requests, dataId = ''] =
    /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(.*)$/.exec(text ?? '') ?? [];
  if (messages === undefined || dataId !== state.dataId) return undefined;
  return {
    dataId,
    messages: Number(messages),
    replies: Number(replies),
    events: Number(events),
    requests: Number(requests),
  };
}

function recordsSince(since: Position | undefined, state: State): FeedRecord[] {
  const now = positionOf(state);
  const isNear = (from: number, to: number) => from <= to && to - from <= mostBehind;
  const isUsable =
    since &&
    isNear(since.messages, now.messages) &&
    isNear(since.replies, now.replies) &&
    isNear(since.events, now.events) &&
    isNear(since.requests, now.requests);
  const from = isUsable ? since : newestOf(now);
  const sent = state.messageIds.since(from.messages).flatMap((id) => state.messages.get(id) ?? []);
  const records: readonly FeedRecord[] = [
    { kind: 'messages', rows: sent.map((one) => messageRow(one, state)) },
    { kind: 'replies', rows: state.inbound.since(from.replies) },
    { kind: 'events', rows: state.events.since(from.events) },
    { kind: 'requests', rows: state.calls.since(from.requests).map(requestRow) },
  ];
  const found = records.filter((record) => 'rows' in record && record.rows.length > 0);
  return isUsable ? found : [{ kind: 'reset' }, ...found];
}

function newestOf({ dataId, messages, replies, events, requests }: Position): Position {
  const back = (count: number) => Math.max(0, count - mostBehind);
  return {
    dataId,
    messages: back(messages),
    replies: back(replies),
    events: back(events),
    requests: back(requests),
  };
}
