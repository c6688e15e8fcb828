import { CliError, usage } from '../base/errors.ts';
import type { Database } from '../base/transaction.ts';
import { eventId, eventsBefore, eventsWithHeader, eventWith, numbersLike, type Received } from '../logs/events.ts';
import { type Past, withForwards } from '../logs/forwards.ts';
import { webhookId } from './event/event.ts';

/** The recorded events before a number (default: all), newest first; none without logs. */
export async function* newestFirst(logs: Database | undefined, end?: number): AsyncGenerator<Past> {
  if (!logs) return;
  for (let before = end; ;) {
    const page = await logs.read(withForwards(eventsBefore(before)));
    yield* page;
    before = page.at(-1)?.event.number;
    if (before === undefined) return;
  }
}

/** Finds an event by its id, a unique prefix of it, or the sender's webhook id (default: the newest event). */
export async function findEvent(logs: Database | undefined, text?: string): Promise<Past> {
  if (text !== undefined) return byId(logs, text);
  for await (const past of newestFirst(logs)) return past;
  throw new CliError('notFound', 'no-events', 'no listener has received any event yet', {
    hint: 'bizmsg webhooks listen receives events',
  });
}

/** With a webhook id, finds its latest delivery. */
async function byId(logs: Database | undefined, text: string): Promise<Past> {
  const id = text.toLowerCase();
  const past = logs && ((await numbered(logs, id)) ?? (await identified(logs, text)));
  if (past) return past;
  throw new CliError('notFound', 'no-such-event', `there is no event ${id}`, {
    hint: 'bizmsg webhooks list shows the events',
  });
}

async function numbered(logs: Database, id: string): Promise<Past | undefined> {
  const [, digits] = /^e(\d*)$/.exec(id) ?? [];
  if (digits === undefined) return undefined;
  const exact = await withNumber(logs, Number(digits));
  if (exact) return exact;
  const [number, ...others] = await logs.read(numbersLike(digits));
  if (number === undefined || others.length === 0) return number === undefined ? undefined : withNumber(logs, number);
  const ids = [number, ...others].map(eventId).join(', ');
  throw usage(`several events begin with ${id}`, `type more of the id, such as one of ${ids}`);
}

/** The event with this number. */
export async function withNumber(logs: Database, number: number): Promise<Past | undefined> {
  const [past] = await logs.read(withForwards(eventWith(number)));
  return past;
}

async function identified(logs: Database, text: string): Promise<Past | undefined> {
  const isDelivery = (event: Received) => webhookId(event) === text;
  const event = (await logs.read(eventsWithHeader(text))).find(isDelivery);
  return event && withNumber(logs, event.number);
}
