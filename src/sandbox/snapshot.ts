import type { Change, Counters } from './changes.ts';
import { inParts } from './parts.ts';
import { deliveryChanges, webhookChanges } from './snapshot-deliveries.ts';
import type { SentMessage, SigningSecret, State } from './state.ts';

/** The fewest commits that rebuild a state, whatever happened on its way there. */
export function snapshot(state: State): Iterable<readonly Change[]> {
  return inParts(changesOf(state));
}

/** How many changes that takes. */
export function sizeOf(state: State): number {
  let size = 0;
  for (const part of snapshot(state)) size += part.length;
  return size;
}

function* changesOf(state: State): Generator<Change> {
  yield { type: 'seed', seed: state.seed, dataId: state.dataId };
  yield* secretChanges(state.secret);
  yield { type: 'plan', plan: state.plan };
  if (state.clock) yield { type: 'clock', clock: state.clock };
  yield* keyChanges(state);
  yield* contentChanges(state);
  yield* traceChanges(state);
  yield* webhookChanges(state);
  yield* deliveryChanges(state);
  for (const call of state.calls) yield { type: 'call', call };
  // After all that draws for them, which is in their counts.
  for (const { fault, drawn, struck } of state.faults.values()) yield { type: 'fault', fault, drawn, struck };
  yield { type: 'counters', counters: countersOf(state) };
}

function countersOf({ serial, events, calls, months }: State): Counters {
  const before = (log: typeof events | typeof calls) => log.cursor - log.length;
  return { serial, events: before(events), calls: before(calls), months: [...months] };
}

function* secretChanges({ secret, previous }: SigningSecret): Generator<Change> {
  if (previous) yield { type: 'secret', secret: previous.secret };
  yield { type: 'secret', secret, ...(previous && { until: previous.until }) };
}

/** When it was is in the past, and no state tells it. */
function* keyChanges({ keys, revoked, live }: State): Generator<Change> {
  for (const key of keys.list) yield { type: 'key', key };
  for (const key of revoked) yield { type: 'revoke', key, at: 0 };
  if (live) yield { type: 'go-live', at: 0 };
}

function* contentChanges({ templates, campaigns, contacts }: State): Generator<Change> {
  for (const template of templates.list) yield { type: 'template', template };
  for (const campaign of campaigns.list) yield { type: 'campaign', campaign };
  for (const contact of contacts.list) yield { type: 'contact', contact };
}

function* traceChanges(state: State): Generator<Change> {
  for (const sent of state.messages.values()) yield messageChange(sent);
  for (const inbound of state.inbound) yield { type: 'inbound', inbound };
  for (const run of state.flowRuns) yield { type: 'flow-run', run };
  for (const order of state.orders) yield { type: 'order', order };
  for (const event of state.events) yield { type: 'event', event };
}

function messageChange({ message, done, status }: SentMessage): Change {
  // Said even where its events will say it: they may have been let go of.
  return status === 'sent' ? { type: 'message', message } : { type: 'message', message, progress: { done, status } };
}
