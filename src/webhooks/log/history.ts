import { CliError, usage } from '../../base/errors.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import { suggest } from '../../base/suggest.ts';
import { webhookId } from '../event/event.ts';
import { eventFiles, eventsFolder, type Placed, recordsBack, recordsIn } from './files.ts';
import { type Fact, type Forwarded, type Received, timeOf } from './records.ts';

/** An event, and what came of sending it on: the last first. */
export interface Past {
  readonly event: Received;
  readonly forwards: readonly Forwarded[];
}

/** The events of all listeners from the newest on. No more is read than is asked for. */
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

/** All that listeners recorded, in the order of time. */
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
  const near = suggest(id, known);
  const hint = near === undefined ? list : `did you mean ${near}? ${list}`;
  return new CliError('notFound', 'no-such-event', `there is no event ${id}`, { hint });
}

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

interface Source<T> {
  /** Nothing in it comes before that place. */
  readonly bound: number;
  open(): Generator<T>;
}

interface Head<T> {
  item: T;
  place: number;
  readonly rest: Generator<T>;
}

/** Items of many sources in the order of their places; a source is not opened before it is due. */
function* merged<T>(sources: readonly Source<T>[], placeOf: (item: T) => number): Generator<T> {
  const waiting = sources.toSorted((a, b) => b.bound - a.bound);
  const heads = new Set<Head<T>>();
  try {
    for (;;) {
      const head = least(heads);
      const due = waiting.at(-1);
      if (due && (!head || due.bound <= head.place)) {
        waiting.pop();
        begin(due.open());
      } else if (head) {
        yield head.item;
        move(head);
      } else return;
    }
  } finally {
    for (const { rest } of heads) rest.return(undefined);
  }

  function begin(rest: Generator<T>): void {
    const { value, done } = rest.next();
    if (!done) heads.add({ item: value, place: placeOf(value), rest });
  }

  function move(head: Head<T>): void {
    const { value, done } = head.rest.next();
    if (done) heads.delete(head);
    else Object.assign(head, { item: value, place: placeOf(value) });
  }
}

function least<T>(heads: Iterable<Head<T>>): Head<T> | undefined {
  let least: Head<T> | undefined;
  for (const head of heads) if (!least || head.place < least.place) least = head;
  return least;
}
