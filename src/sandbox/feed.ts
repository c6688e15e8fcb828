import { deliveryRecords } from './events/deliveries.ts';
import type { OpenFeed } from './interface.ts';
import { requestRow } from './requests.ts';
import type { Adjustment, FeedRecord, Happened, Topic } from './rows.ts';
import { createLog } from './state/logs.ts';
import type { Change } from './state/records.ts';
import { eventById, type State, type Store } from './state/state.ts';
import type { AdjustableClock, ClockSetting } from './time/clock.ts';
import { messageRow } from './views.ts';

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

/** Reads the logs of the state when asked, so that a change costs nothing but a note that there is one. */
export function createFeeds(store: Store, clock: AdjustableClock): OpenFeed {
  const { state, follow } = store;
  const adjustments = createAdjustments(store, clock);
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

/** The changes of the clock and the faults. */
interface Adjustments {
  /** In order, each with the number of requests since. */
  list(): readonly { readonly adjustment: Adjustment; readonly requestsSince: number }[];
  /** Changes with every adjustment. */
  version(): number;
}

const mostAdjustments = 200;

/** Remembers the newest adjustments of this process. */
function createAdjustments({ state, follow }: Store, clock: AdjustableClock): Adjustments {
  const log = createLog<{ adjustment: Adjustment; readonly requests: number }>(mostAdjustments);
  let version = 0;
  let setting = clock.setting();
  /** The advance that further steps belong to, until a request arrives. */
  let open: { adjustment: Adjustment } | undefined;
  follow((change) => {
    if (change.type === 'call') open = undefined;
    else if (change.type === 'clock') moved(change.clock);
    else if (change.type === 'fault') add({ kind: 'fault', fault: change.fault });
    else if (change.type === 'fault-cleared') add({ kind: 'fault-cleared', fault: change.fault });
    else if (change.type === 'reset' && (change.what === 'logs' || change.what === 'all')) clear();
  });
  return {
    version: () => version,
    list: () =>
      [...log].map(({ adjustment, requests }) => ({ adjustment, requestsSince: state.calls.cursor - requests })),
  };

  function moved(next: ClockSetting): void {
    const [before, span] = [setting, spanBetween(setting, next)];
    setting = next;
    if ('frozen' in before !== 'frozen' in next) return void add({ kind: 'frozen' in next ? 'frozen' : 'real' });
    if (span < 0) return void add({ kind: 'real' });
    if (span === 0) return;
    const to = clock.now();
    version += 1;
    if (open?.adjustment.kind === 'advanced') open.adjustment = { ...open.adjustment, to };
    else open = add({ kind: 'advanced', to }, to - span);
  }

  function add(given: DistributiveOmit<Adjustment, 'id' | 'at'>, at = clock.now()) {
    version += 1;
    const entry: { adjustment: Adjustment; requests: number } = {
      adjustment: { id: version, at, ...given },
      requests: state.calls.cursor,
    };
    log.push(entry);
    open = undefined;
    return entry;
  }

  function clear(): void {
    log.clear();
    open = undefined;
    version += 1;
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Milliseconds between two settings of the same kind. */
function spanBetween(before: ClockSetting, next: ClockSetting): number {
  if ('frozen' in before && 'frozen' in next) return next.frozen - before.frozen;
  if ('ahead' in before && 'ahead' in next) return next.ahead - before.ahead;
  return 0;
}

/** Calls the listener for each request, for each event without a webhook, and for each attempt to deliver another. */
export function createWatch({ state, follow }: Store): (listener: (happened: Happened) => void) => void {
  return (listener) =>
    follow((change) => {
      const happened = happenedIn(change);
      // A commit has the events of a request before the request.
      if (happened?.type === 'event') queueMicrotask(() => listener(happened));
      else if (happened) listener(happened);
    });

  function happenedIn(change: Change): Happened | undefined {
    if (change.type === 'call') return { type: 'request', ...requestRow(change.call) };
    if (change.type === 'event' && !state.deliveriesOf.has(change.event.id))
      return { type: 'event', event: change.event, delivery: null };
    if (change.type !== 'attempt') return undefined;
    const [delivery] = deliveryRecords(state, change.delivery);
    const event = delivery && eventById(state, delivery.event);
    return event && { type: 'event', event, delivery };
  }
}
