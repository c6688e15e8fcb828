import type { Sandbox } from '../sandbox.ts';
import { newest } from '../state/table.ts';
import { requestRow } from '../views.ts';

type Delivery = ReturnType<Sandbox['deliveries']>[number];
type Event = ReturnType<Sandbox['events']>[number];

/** Problems of a kind that the page gets. */
const most = 500;

/** Everything that fails: deliveries with their events, messages and requests; and the state of each webhook. */
export function problemsOf(sandbox: Sandbox) {
  const rows = sandbox.deliveries();
  const failing = rows.filter(isFailing);
  const deliveries = newest(failing, most);
  const ids = new Set(deliveries.map(({ event }) => event));
  // An event has the reason of a failed message.
  const messages = sandbox.messages({ status: 'failed', limit: most });
  const failed = new Set(messages.map(({ id }) => id));
  const isWanted = ({ id, type, message = '' }: Event) =>
    ids.has(id) || (type === 'message.failed' && failed.has(message));
  const events = ids.size + failed.size === 0 ? [] : sandbox.events().filter(isWanted);
  const requests = sandbox.requests().filter(({ status }) => status === 0 || status >= 400);
  return {
    failing: failing.length,
    deliveries,
    events: events.map(({ id, type, at, message, data }) => ({ id, type, at, message, data })),
    messages,
    requests: newest(requests, most).map(requestRow),
    webhooks: healthOf(rows),
  };
}

/** By URL, whether the last 20 deliveries succeeded, and how many of all can be tried again. */
function healthOf(rows: readonly Delivery[]) {
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

/** Whether the last attempt failed; the handler behind a listener counts, if there is one. */
function isFailing({ state, attempts, forwarded }: Delivery): boolean {
  if (state === 'dead' || (state === 'waiting' && attempts > 0)) return true;
  return forwarded !== null && !(typeof forwarded === 'number' && forwarded >= 200 && forwarded < 300);
}

interface Wanted {
  readonly ids: readonly string[];
  readonly phones: readonly string[];
}

/** The deliveries of events and messages, and the names of numbers. */
export function glanceAt(sandbox: Sandbox, { ids, phones }: Wanted) {
  const isMessage = (id: string) => id.startsWith('msg_');
  const ofMessages = ids.some(isMessage) ? sandbox.events().filter(({ message = '' }) => ids.includes(message)) : [];
  const events = [...ids.map((id) => ({ id, of: id })), ...ofMessages.map(({ id, message }) => ({ id, of: message }))];
  const deliveries = events.flatMap(({ id, of = id }) =>
    sandbox.delivery(id).map(({ attempts, url, state, last, forwarded, next_at }) => {
      return { of, attempts: attempts.length, url, state, last, forwarded, next_at };
    }),
  );
  const contacts = sandbox.contacts().filter(({ phone }) => phones.includes(phone));
  return { deliveries, names: contacts.map(({ phone, name }) => ({ phone, name })) };
}
