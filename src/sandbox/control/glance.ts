import { deliveryRows, deliveryRowsOf } from '../events/deliveries.ts';
import type { SandboxEvent } from '../state/records.ts';
import type { State } from '../state/state.ts';
import { newest } from '../state/table.ts';
import { requestRow } from '../views.ts';
import { pageMessage } from './feed.ts';
import { isDead, isFailed, isRetrying } from './story.ts';

type DeliveryRow = ReturnType<typeof deliveryRows>[number];

/** Problems of a kind that the page gets. */
const most = 500;

/** Everything that fails, as rows of the page need it, and the state of each webhook. */
export function problemsOf(state: State) {
  const rows = deliveryRows(state);
  const failing = rows.filter(isFailing);
  const deliveries = newest(failing, most);
  const messages = state.messages.all();
  const failed = messages.filter(({ status }) => status === 'failed').map(({ id }) => id);
  const failedIds = new Set(newest(failed, most));
  const undelivered = new Set(deliveries.map(({ event }) => event));
  // An event has the reason of a failed message.
  const isWanted = ({ id, type, message = '' }: SandboxEvent) =>
    undelivered.has(id) || (type === 'message.failed' && failedIds.has(message));
  const events = state.events.all().flatMap(({ event }) => (isWanted(event) ? [event] : []));
  const refusedCalls = state.requests.all().filter(isFailed);
  const requests = newest(refusedCalls, most);
  const ids = new Set([...failedIds, ...[...events, ...requests].map(({ message }) => message)]);
  return {
    failing: failing.length,
    deliveries,
    messages: messages.filter(({ id }) => ids.has(id)).map((message) => pageMessage(message, state)),
    events,
    requests: requests.map(requestRow),
    webhooks: healthOf(rows),
  };
}

/** By URL, whether the last 20 deliveries succeeded, and how many of all can be tried again. */
function healthOf(rows: readonly DeliveryRow[]) {
  const health = new Map<string, { url: string; last: readonly boolean[]; failing: number }>();
  for (const row of rows) {
    const { url, state, attempts } = row;
    if (url === null || state === 'dropped' || (state === 'waiting' && attempts === 0)) continue;
    const { last = [], failing = 0 } = health.get(url) ?? {};
    const isRetriable = state === 'dead' || state === 'waiting';
    health.set(url, { url, last: [...last, !isFailing(row)].slice(-20), failing: failing + Number(isRetriable) });
  }
  return [...health.values()];
}

function isFailing(row: DeliveryRow): boolean {
  return isRetrying(row) || isDead(row);
}

/** The deliveries of events and messages by their id, and the names of numbers. */
export function glanceAt(state: State, { ids, phones }: Readonly<Record<'ids' | 'phones', readonly string[]>>) {
  const wanted = new Set(ids);
  const deliveries = state.events.all().flatMap((emitted) => {
    const of = [emitted.event.id, emitted.event.message ?? ''].find((id) => wanted.has(id));
    return of === undefined ? [] : deliveryRowsOf(emitted).map((row) => ({ ...row, of }));
  });
  const names = phones.map((phone) => ({ phone, name: state.contacts.get(phone)?.name }));
  return { deliveries, names };
}
