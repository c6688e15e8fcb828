import { CliError, usage } from '../base/errors.ts';
import type { Database } from '../base/transaction.ts';
import { eventId, eventsBefore, eventsWithHeader, eventWith, numbersLike, type Received } from '../logs/events.ts';
import { type Past, withForwards } from '../logs/forwards.ts';
import { webhookId } from './event/event.ts';

/** The events of all listeners. */
export interface History {
  readonly logs: Database;
  /** The ids of the listeners that run. */
  readonly live: readonly string[];
}

/** The recorded events before a number (default: all), newest first; none without a history. */
export async function* newestFirst(history: History | undefined, end?: number): AsyncGenerator<Past> {
  if (!history) return;
  const { logs, live } = history;
  for (let before = end; ;) {
    const page = await logs.read(withForwards(eventsBefore(before), live));
    yield* page;
    before = page.at(-1)?.event.number;
    if (before === undefined) return;
  }
}

/** Finds an event by its id, a unique prefix of it, or the sender's webhook id (default: the newest event). */
export async function findEvent(history: History | undefined, text?: string): Promise<Past> {
  if (text !== undefined) return byId(history, text);
  for await (const past of newestFirst(history)) return past;
  throw new CliError('notFound', 'no-events', 'no listener has received any event yet', {
    hint: 'bizmsg webhooks listen receives events',
  });
}

/** With a webhook id, finds its latest delivery. */
async function byId(history: History | undefined, text: string): Promise<Past> {
  const id = text.toLowerCase();
  const found = history && ((await numbered(history, id)) ?? (await identified(history, text)));
  if (found) return found;
  throw new CliError('notFound', 'no-such-event', `there is no event ${id}`, {
    hint: 'bizmsg webhooks history lists the events',
  });
}

async function numbered(history: History, id: string): Promise<Past | undefined> {
  const [, digits] = /^e(\d*)$/.exec(id) ?? [];
  if (digits === undefined) return undefined;
  const exact = await withNumber(history, Number(digits));
  if (exact) return exact;
  const numbers = await history.logs.read(numbersLike(digits, mostListed + 1));
  if (numbers.length < 2) return numbers[0] === undefined ? undefined : withNumber(history, numbers[0]);
  const [ids, more] = [numbers.slice(0, mostListed).map(eventId), numbers.length > mostListed ? ', …' : ''];
  throw usage(`several events begin with ${id}`, `type more of the id: ${ids.join(', ')}${more}`);
}

const mostListed = 5;

/** The event with this number. */
export async function withNumber({ logs, live }: History, number: number): Promise<Past | undefined> {
  const [past] = await logs.read(withForwards(eventWith(number), live));
  return past;
}

async function identified(history: History, text: string): Promise<Past | undefined> {
  const isDelivery = (event: Received) => webhookId(event) === text;
  const event = (await history.logs.read(eventsWithHeader(text))).find(isDelivery);
  return event && withNumber(history, event.number);
}
