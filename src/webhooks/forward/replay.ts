import type { OnDamage } from '../../base/journal-lines.ts';
import { openTarget, type Target } from '../../delivery/target.ts';
import { oldestFirst } from '../log/history.ts';
import type { Forwarded, Received } from '../log/records.ts';
import { factsOf, letterOf } from './forwarder.ts';

export interface ReplayOptions {
  readonly events: Iterable<Addressed>;
  /** What is sent of an event. */
  readonly prepare: (event: Received) => Received;
  /** How many milliseconds an answer may take. */
  readonly patience: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** An event, and where it goes. */
export interface Addressed {
  readonly event: Received;
  readonly url: URL;
}

export interface Replayed {
  readonly event: Received;
  readonly outcome: Omit<Forwarded, 'type' | 'forwarded_at'>;
}

/** Sends events again one after the other; it ends early when the signal says so. */
export async function* replay(options: ReplayOptions): AsyncGenerator<Replayed> {
  const { events, signal } = options;
  const targets = new Map<string, Target>();
  const leave = () => {
    for (const target of targets.values()) target.close();
  };
  signal.addEventListener('abort', leave);
  try {
    for (const { event, url } of events) {
      const target = targets.get(url.href) ?? openTarget(url, options.patience);
      targets.set(url.href, target);
      const replayed = await sent(event, url, target, options);
      if (signal.aborted) return;
      yield replayed;
      if (signal.aborted) return;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

/** Those of the journals that have an address by their id, the oldest first. */
export function* addressed(
  stateFolder: string,
  to: ReadonlyMap<string, URL>,
  onDamage?: OnDamage,
): Generator<Addressed> {
  let left = to.size;
  if (left === 0) return;
  for (const fact of oldestFirst(stateFolder, onDamage)) {
    const url = fact.type === 'received' ? to.get(fact.id) : undefined;
    if (fact.type !== 'received' || !url) continue;
    yield { event: fact, url };
    if (--left === 0) return;
  }
}

async function sent(event: Received, url: URL, target: Target, { prepare, now }: ReplayOptions): Promise<Replayed> {
  const letter = letterOf(prepare(event), url);
  const began = now();
  const facts = factsOf(await target.send(letter));
  return { event, outcome: { event: event.id, url: url.href, ms: now() - began, ...facts } };
}

/** Code that takes events, and what it answers them. */
export interface Handler {
  /** Sends an event on as it came. Says what was answered, or why nothing was. */
  hand(event: Received): Promise<Answered>;
  close(): void;
}

type Answered = { readonly status: number } | { readonly error: string };

const patience = 30_000;

export function openHandler(url: URL): Handler {
  const target = openTarget(url, patience);
  return {
    async hand(event) {
      const { response, error } = await target.send(letterOf(event, url));
      if (response && error === undefined) return { status: response.status };
      return { error: error ?? 'nothing came back' };
    },
    close: target.close,
  };
}
