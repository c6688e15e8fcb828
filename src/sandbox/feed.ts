import { deliveryRecords } from './events/deliveries.ts';
import { requestRow } from './requests.ts';
import type { Adjustment, FeedRecord, Happened, OpenFeed, Topic } from './rows.ts';
import { createLog } from './state/logs.ts';
import type { Change } from './state/records.ts';
import { eventById, type SentMessage, type State, type Store } from './state/state.ts';
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
  forward: 'deliveries',
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
    let since = countsIn(after, state);
    let due: number | null | undefined;
    let adjusted = 0;
    // Changes before this feed was opened are unknown.
    const changed = new Set<Topic>(Object.values(topics));
    const stop = follow(({ type }) => {
      const topic = topics[type];
      if (topic) changed.add(topic);
      if (type === 'reset') {
        since = undefined;
        adjusted = 0;
        for (const one of Object.values(topics)) changed.add(one);
      }
      wake();
    });
    return {
      stop,
      take() {
        const records = recordsSince(since, state);
        if (changed.size > 0) records.push({ kind: 'changed', topics: [...changed] });
        changed.clear();
        if (adjustments.version() !== adjusted) records.push({ kind: 'adjustments', rows: adjustments.list() });
        adjusted = adjustments.version();
        const next = clock.nextAt() ?? null;
        if (next !== due) records.push({ kind: 'due', at: (due = next) });
        since = countsOf(state);
        return { cursor: cursorOf(state), records };
      },
    };
  };
}

/** How many messages, replies, events and requests there have been. */
type Counts = readonly number[];

function countsOf({ messageIds, inbound, events, calls }: State): Counts {
  return [messageIds, inbound, events, calls].map(({ cursor }) => cursor);
}

/** The counts, and the id of the data that they count. */
function cursorOf(state: State): string {
  return [...countsOf(state), state.dataId].join('.');
}

/** Undefined if the cursor is not one of this data. */
function countsIn(cursor: string | undefined, { dataId }: State): Counts | undefined {
  const [, counts = '', id] = /^((?:\d{1,15}\.){4})(.*)$/.exec(cursor ?? '') ?? [];
  return id === dataId ? counts.split('.', 4).map(Number) : undefined;
}

function recordsSince(since: Counts | undefined, state: State): FeedRecord[] {
  const now = countsOf(state);
  const newest = now.map((count) => Math.max(0, count - mostBehind));
  const known = since?.every((from, at) => from >= (newest[at] ?? 0) && from <= (now[at] ?? 0)) ? since : undefined;
  const [messages = 0, replies = 0, events = 0, requests = 0] = known ?? newest;
  const sent = state.messageIds.since(messages).flatMap((id) => state.messages.get(id) ?? []);
  const records: readonly FeedRecord[] = [
    { kind: 'messages', rows: sent.map((one) => feedRow(one, state)) },
    { kind: 'replies', rows: state.inbound.since(replies) },
    { kind: 'events', rows: state.events.since(events) },
    { kind: 'requests', rows: state.calls.since(requests).map(requestRow) },
  ];
  const found = records.filter((record) => 'rows' in record && record.rows.length > 0);
  return known ? found : [{ kind: 'reset' }, ...found];
}

function feedRow(sent: SentMessage, state: State) {
  const { campaign } = sent.message;
  const row = messageRow(sent, state);
  return campaign === undefined ? row : { ...row, campaign };
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
    if ('ahead' in next && next.ahead === 0) return void add({ kind: 'real' });
    // A running clock moves back a little while an advance waits for an answer.
    if (span <= 0) return;
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
