import { CliError, usage } from '../base/errors.ts';
import type { OnDamage } from '../base/journal-lines.ts';
import { nearest } from '../base/suggest.ts';
import { newestFirst, type Past } from './event-history.ts';
import { webhookId } from './event.ts';

const list = 'bizmsg webhooks history lists them';

/** The event that has an id, or alone begins with it; without one the newest. */
export function findEvent(stateFolder: string, text?: string, onDamage?: OnDamage): Past {
  const events = newestFirst(stateFolder, onDamage);
  const found = text === undefined ? first(events) : byId(events, text);
  if (found) return found;
  throw new CliError('notFound', 'no-events', 'no listener has received any event yet');
}

/** Its sender's id means the last time that it came. */
function byId(events: Iterable<Past>, text: string): Past {
  const [seen, begin]: [string[], Past[]] = [[], []];
  const id = text.toLowerCase();
  for (const past of events) {
    if (past.event.id === id || webhookId(past.event) === text) return past;
    if (past.event.id.startsWith(id)) begin.push(past);
    if (seen.length < compared) seen.push(past.event.id);
  }
  const [only, another] = begin;
  if (!only) throw unknown(id, seen);
  if (!another) return only;
  const ids = begin.slice(0, 5).map(({ event }) => event.id);
  const more = begin.length > ids.length ? ', …' : '';
  throw usage(
    `${begin.length} events begin with ${id}`,
    `write more of the one that is meant: ${ids.join(', ')}${more}`,
  );
}

/** Among the newest: a mistyped id is seldom that of an old one. */
const compared = 1_000;

function unknown(id: string, known: readonly string[]): CliError {
  const near = nearest(id, known);
  const hint = near === undefined ? list : `did you mean ${near}? ${list}`;
  return new CliError('notFound', 'no-such-event', `there is no event ${id}`, { hint });
}

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
