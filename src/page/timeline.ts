import type { OutputOf } from '../sandbox/control/operations.ts';
import { groupBy, type Message, type PageState, type Request, type SandboxEvent } from './state.ts';
import { requestText } from './words.ts';

type Delivery = OutputOf<'deliveries'>[number];

/** An event and what became of it. */
export interface Step {
  readonly event: SandboxEvent;
  readonly deliveries: readonly Delivery[];
}

/** A request, or an event that no request caused, with everything that followed. */
export interface Row {
  readonly id: string;
  readonly request?: Request;
  readonly at: number;
  /** The method and path, or the type of the event. */
  readonly what: string;
  readonly status: number | undefined;
  readonly message: Message | undefined;
  /** The messages of a campaign. */
  readonly broadcast?: readonly Message[];
  readonly note: string;
  readonly steps: readonly Step[];
  /** Whether a receipt is still to come. */
  readonly isPending: boolean;
}

type Known = Pick<PageState, 'requests' | 'events' | 'messages'>;

/** The newest first. */
export function timelineOf({ requests, events, messages }: Known, deliveries: readonly Delivery[]): readonly Row[] {
  const messageById = new Map(messages.map((message) => [message.id, message]));
  const deliveriesOf = groupBy(deliveries, ({ event }) => event);
  const broadcasts = groupBy(
    messages.filter(({ campaign }) => campaign !== undefined),
    ({ campaign }) => campaign,
  );
  const stepsOf = groupBy(
    events.map((event): Step => ({ event, deliveries: deliveriesOf.get(event.id) ?? [] })),
    ({ event: { id, message = id, data } }) => messageById.get(message)?.campaign ?? (broadcastIn(data) || message),
  );
  const ofRequests = requests.map((request, at): Row => {
    const id = request.message_id ?? `request-${at}`;
    const message = messageById.get(id);
    const steps = stepsOf.get(id) ?? [];
    stepsOf.delete(id);
    return {
      id,
      request,
      at: Date.parse(request.at),
      what: requestText(request.method, request.path),
      status: request.status,
      message,
      note: [request.fault === null ? null : 'fault', request.detail].filter((part) => part !== null).join(': '),
      steps,
      isPending: message !== undefined && isPending(message),
    };
  });
  const ofBroadcasts = Array.from(broadcasts, ([id = '', sent]): Row => {
    const steps = stepsOf.get(id) ?? [];
    stepsOf.delete(id);
    const note = `${sent.length.toLocaleString('en')} messages of ${sent[0]?.template ?? ''}`;
    const rest = { what: 'broadcast', status: undefined, message: undefined, note, steps };
    return { id, at: Date.parse(sent[0]?.sent_at ?? ''), ...rest, broadcast: sent, isPending: sent.some(isPending) };
  });
  const others = Array.from(stepsOf, ([id, steps]): Row => {
    const [first] = steps;
    const message = messageById.get(id);
    const about = { what: first?.event.type ?? '', message, note: first ? textIn(first.event) : '' };
    return { id, at: first?.event.at ?? 0, ...about, status: undefined, steps, isPending: false };
  });
  // With a frozen clock, many rows have the same time: then their order counts.
  const all = [...ofRequests, ...ofBroadcasts, ...others];
  return all.sort((one, other) => one.at - other.at).reverse();
}

function isPending({ status }: Message): boolean {
  return status === 'accepted' || status === 'delivered';
}

function broadcastIn({ campaign_id: id }: SandboxEvent['data']): string {
  return typeof id === 'string' ? id : '';
}

/** The text of a reply, the name of a contact, or the amount that was paid. */
function textIn({ data }: SandboxEvent): string {
  const parts = [data['text'], data['name'], data['amount'], data['currency']];
  return parts.filter((part) => typeof part === 'string').join(' ');
}

/** The number that the row is about; empty if it is about none. */
export function phoneOf({ message, steps, broadcast }: Pick<Row, 'message' | 'steps' | 'broadcast'>): string {
  return broadcast ? '' : (message?.to ?? phoneIn(steps[0]?.event));
}

/** The number that the event is about; empty if it is about none. */
export function phoneIn(event: SandboxEvent | undefined): string {
  const { to, from, phone } = event?.data ?? {};
  return [to, from, phone].find((text) => typeof text === 'string') ?? '';
}

/** The last answer of a webhook; the handler behind a listener counts, if the webhook is one. */
export function resultOf({ state, last, forwarded }: Pick<Delivery, 'state' | 'last' | 'forwarded'>) {
  const isBad = forwarded !== null && !(typeof forwarded === 'number' && forwarded >= 200 && forwarded < 300);
  return { state: isBad ? ('dead' as const) : state, last: forwarded === null ? last : `${last} → ${forwarded}` };
}

/** `queued` would promise a delivery: a webhook that is added later does not get the event. */
export function stateText({ state, attempts, url }: Pick<Delivery, 'state' | 'attempts' | 'url'>): string {
  if (url === null) return 'no webhook';
  return state === 'waiting' && attempts > 0 ? 'retrying' : state;
}

/** Words, `is:failed`, `is:waiting`, and `to:`, `type:` or `status:` with the beginning of a value; all must match. */
export function isShown(row: Row, filter: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => word === '' || matches(row, word));
}

function matches(row: Row, word: string): boolean {
  const { what, status, message, note, steps, broadcast = [] } = row;
  const [, name = '', value = ''] = /^(to|type|status|is):(.*)$/.exec(word) ?? [];
  const begins = (texts: readonly unknown[]) => texts.some((text) => String(text).toLowerCase().startsWith(value));
  const states = steps.flatMap(({ deliveries }) => deliveries.map(({ state }) => state));
  if (name === 'is') return value === 'failed' ? hasFailed(row) : row.isPending || states.includes('waiting');
  if (name === 'to') return begins([phoneOf(row), ...broadcast.map(({ to }) => to)]);
  if (name === 'type')
    return begins([...steps.map(({ event }) => event.type), ...(status === undefined ? [] : ['request'])]);
  if (name === 'status') return begins([status ?? '', message?.status ?? '', ...states]);
  return [what, status, phoneOf(row), message?.template, message?.text, note, ...steps.map(({ event }) => event.type)]
    .join(' ')
    .toLowerCase()
    .includes(word);
}

function hasFailed({ status = 200, message, steps }: Row): boolean {
  return status === 0 || status >= 400 || message?.status === 'failed' || steps.some((step) => worstOf(step) === 'bad');
}

/** How it went with an event and its deliveries. */
export function worstOf({ event, deliveries }: Step): 'good' | 'bad' | 'pending' | 'plain' {
  const states = new Set(deliveries.map((delivery) => resultOf(delivery).state));
  if (event.type === 'message.failed' || states.has('dead')) return 'bad';
  if (states.has('waiting')) return 'pending';
  return states.has('delivered') ? 'good' : 'plain';
}
