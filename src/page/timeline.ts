import type { OutputOf } from '../sandbox/control/operations.ts';
import type { Message, PageState, SandboxEvent } from './state.ts';

type Delivery = OutputOf<'deliveries'>[number];

/** An event and what became of it. */
export interface Step {
  readonly event: SandboxEvent;
  readonly deliveries: readonly Delivery[];
}

/** A request, or an event that no request caused, with everything that followed. */
export interface Row {
  readonly id: string;
  readonly at: number;
  /** The method and path, or the type of the event. */
  readonly what: string;
  readonly status: number | undefined;
  readonly message: Message | undefined;
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
  const stepsOf = groupBy(
    events.map((event): Step => ({ event, deliveries: deliveriesOf.get(event.id) ?? [] })),
    ({ event }) => event.message ?? event.id,
  );
  const ofRequests = requests.map((request, at): Row => {
    const id = request.message_id ?? `request-${at}`;
    const message = messageById.get(id);
    const steps = stepsOf.get(id) ?? [];
    stepsOf.delete(id);
    return {
      id,
      at: Date.parse(request.at),
      what: `${request.method} ${request.path}`,
      status: request.status,
      message,
      note: [request.fault, request.detail].filter((part) => part !== null).join(': '),
      steps,
      isPending: message?.status === 'accepted' || message?.status === 'delivered',
    };
  });
  const others = Array.from(stepsOf, ([id, steps]): Row => {
    const [first] = steps;
    return {
      id,
      at: first?.event.at ?? 0,
      what: first?.event.type ?? '',
      status: undefined,
      message: messageById.get(id),
      note: '',
      steps,
      isPending: false,
    };
  });
  return [...ofRequests, ...others].sort((one, other) => other.at - one.at);
}

/** The number that the row is about; empty if it is about none. */
export function phoneOf({ message, steps }: Row): string {
  const { from, phone } = steps[0]?.event.data ?? {};
  return message?.to ?? [from, phone].find((text) => typeof text === 'string') ?? '';
}

/** Words, and `to:`, `type:` or `status:` with the beginning of a value; all must match. */
export function isShown(row: Row, filter: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => word === '' || matches(row, word));
}

function matches(row: Row, word: string): boolean {
  const { what, status, message, note, steps } = row;
  const [, name = '', value = ''] = /^(to|type|status):(.*)$/.exec(word) ?? [];
  const begins = (texts: readonly unknown[]) => texts.some((text) => String(text).toLowerCase().startsWith(value));
  const states = steps.flatMap(({ deliveries }) => deliveries.map(({ state }) => state));
  if (name === 'to') return begins([phoneOf(row)]);
  if (name === 'type')
    return begins([...steps.map(({ event }) => event.type), ...(status === undefined ? [] : ['request'])]);
  if (name === 'status') return begins([status ?? '', message?.status ?? '', ...states]);
  return [what, status, phoneOf(row), message?.template, message?.text, note, ...steps.map(({ event }) => event.type)]
    .join(' ')
    .toLowerCase()
    .includes(word);
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
