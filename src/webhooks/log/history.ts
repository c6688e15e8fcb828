import { CliError, usage } from '../../base/errors.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import { suggest } from '../../base/suggest.ts';
import { webhookId } from '../event/event.ts';
import { eventFiles, eventsFolder, type Placed, recordsBack, recordsIn } from './files.ts';
import { type Fact, type Forwarded, type Received, timeOf } from './records.ts';

/** An event and its forwarding attempts, newest first. */
export interface Past {
  readonly event: Received;
  readonly forwards: readonly Forwarded[];
}

/** The events of all listeners, newest first. Reads lazily. */
export function* newestFirst(stateFolder: string, onDamage?: OnDamage): Generator<Past> {
  const files = eventFiles(eventsFolder(stateFolder));
  const sources = files.map(({ path, until }) => ({ bound: -until, open: () => facts(recordsBack(path, onDamage)) }));
  const forwards = new Map<string, readonly Forwarded[]>();
  for (const fact of merged(sources, (fact) => -timeOf(fact))) {
    if (fact.type === 'forwarded') {
      forwards.set(fact.event, [...(forwards.get(fact.event) ?? []), fact]);
      continue;
    }
    yield { event: fact, forwards: forwards.get(fact.id) ?? [] };
    forwards.delete(fact.id);
  }
}

/** All events and forwarding attempts of all listeners, by time. */
export function oldestFirst(stateFolder: string, onDamage?: OnDamage): Generator<Fact> {
  const files = eventFiles(eventsFolder(stateFolder));
  return merged(
    files.map(({ path, from }) => ({ bound: from, open: () => facts(recordsIn(path, { onDamage })) })),
    timeOf,
  );
}

function* facts(placed: Iterable<Placed>): Generator<Fact> {
  for (const { record } of placed) if (record.type !== 'listener') yield record;
}

const listHint = 'bizmsg webhooks history lists the events';

/** Finds an event by its id, a unique prefix of it, or the sender's webhook id (default: the newest event). */
export function findEvent(stateFolder: string, text?: string, onDamage?: OnDamage): Past {
  const events = newestFirst(stateFolder, onDamage);
  const found = text === undefined ? first(events) : byId(events, text);
  if (found) return found;
  throw new CliError('notFound', 'no-events', 'no listener has received any event yet', {
    hint: 'bizmsg webhooks listen receives events',
  });
}

/** With a webhook id, finds its latest delivery. */
function byId(events: Iterable<Past>, text: string): Past {
  const newest: string[] = [];
  const matches: Past[] = [];
  const id = text.toLowerCase();
  for (const past of events) {
    if (past.event.id === id || webhookId(past.event) === text) return past;
    if (past.event.id.startsWith(id)) matches.push(past);
    if (newest.length < mostCompared) newest.push(past.event.id);
  }
  const [match] = matches;
  if (!match) throw unknownEvent(id, newest);
  if (matches.length === 1) return match;
  const ids = matches.slice(0, 5).map(({ event }) => event.id);
  const more = matches.length > ids.length ? ', …' : '';
  throw usage(`${matches.length} events begin with ${id}`, `type more of the id: ${ids.join(', ')}${more}`);
}

/** Ids compared for a suggestion: a mistyped id is rarely that of an old event. */
const mostCompared = 1_000;

function unknownEvent(id: string, ids: readonly string[]): CliError {
  const similar = suggest(id, ids);
  const hint = similar === undefined ? listHint : `did you mean ${similar}? ${listHint}`;
  return new CliError('notFound', 'no-such-event', `there is no event ${id}`, { hint });
}

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

interface Source<T> {
  /** A lower bound for the keys of its items. */
  readonly bound: number;
  open(): Generator<T>;
}

interface Head<T> {
  item: T;
  key: number;
  readonly rest: Generator<T>;
}

/** Merges sources by key. Opens a source only when its first item may be next. */
function* merged<T>(sources: readonly Source<T>[], keyOf: (item: T) => number): Generator<T> {
  const waiting = sources.toSorted((a, b) => b.bound - a.bound);
  const heads = new Set<Head<T>>();
  try {
    for (;;) {
      const head = least(heads);
      const due = waiting.at(-1);
      if (due && (!head || due.bound <= head.key)) {
        waiting.pop();
        start(due.open());
      } else if (head) {
        yield head.item;
        advance(head);
      } else return;
    }
  } finally {
    for (const { rest } of heads) rest.return(undefined);
  }

  function start(rest: Generator<T>): void {
    const { value, done } = rest.next();
    if (!done) heads.add({ item: value, key: keyOf(value), rest });
  }

  function advance(head: Head<T>): void {
    const { value, done } = head.rest.next();
    if (done) heads.delete(head);
    else Object.assign(head, { item: value, key: keyOf(value) });
  }
}

function least<T>(heads: Iterable<Head<T>>): Head<T> | undefined {
  let least: Head<T> | undefined;
  for (const head of heads) if (!least || head.key < least.key) least = head;
  return least;
}
