import type { EventName } from '../../contract/events.ts';
import type { Change, SandboxEvent } from '../state/records.ts';
import type { Clock } from '../time/clock.ts';
import type { Ledger } from '../state/ledger.ts';
import { inParts } from '../state/snapshot.ts';
import type { Mint } from '../state/ids.ts';
import { Refusal, readOrRefuse } from '../refusal.ts';
import { broadcastCompleted, created, flowCompleted, orderPaid, receipt, received } from './events.ts';
import type { Caused, Desk } from './context.ts';
import { type FieldsOf, readFields, whyNotFields } from './fields.ts';

/** Has an event happen, and what leads to it; throws a Refusal when it cannot. */
export type Trigger = (event: EventName, fields?: Readonly<Record<string, unknown>>) => Triggered;

interface Triggered {
  /** All that it caused, in order. */
  readonly events: readonly SandboxEvent[];
  /** The records that it is about, as in the event's data: `message_id`, `contact_id`… */
  readonly [id: `${string}_id`]: string;
}

interface Office {
  readonly ledger: Ledger;
  readonly mint: Mint;
  readonly clock: Clock;
}

export function createTrigger({ ledger, mint, clock }: Office): Trigger {
  const { state, commit } = ledger;
  return (event, fields = {}) => {
    let { serial } = state;
    const id = (prefix: string) => mint.id(prefix, ++serial);
    const desk = { state, now: clock.now(), id, random: mint.random(serial) };
    const { changes, ids } = caused(event, read(event, fields), desk);
    for (const part of inParts(changes)) commit(part);
    return { ...ids, events: eventsIn(changes) };
  };
}

type Acts = { readonly [E in EventName]: (given: FieldsOf<E>, desk: Desk) => Caused };

const acts: Acts = {
  'message.received': received,
  'message.delivered': (given, desk) => receipt('message.delivered', given, desk),
  'message.read': (given, desk) => receipt('message.read', given, desk),
  'message.failed': (given, desk) => receipt('message.failed', given, desk),
  'flow.completed': flowCompleted,
  'broadcast.completed': broadcastCompleted,
  'contact.created': created,
  'order.paid': orderPaid,
};

function caused<E extends EventName>(event: E, fields: FieldsOf<E>, desk: Desk): Caused {
  return acts[event](fields, desk);
}

function read<E extends EventName>(event: E, fields: Readonly<Record<string, unknown>>): FieldsOf<E> {
  const wrong = whyNotFields(event, Object.keys(fields));
  if (wrong !== undefined) throw new Refusal(400, wrong);
  return readOrRefuse(() => readFields(event, fields));
}

function eventsIn(changes: readonly Change[]): readonly SandboxEvent[] {
  return changes.flatMap((change) => (change.type === 'event' ? [change.event] : []));
}
