import type { EventName } from '../../contract/events.ts';
import type { Trigger } from '../interface.ts';
import { readOrRefuse, Refusal } from '../refusal.ts';
import type { Ids } from '../state/ids.ts';
import { batches } from '../state/snapshot.ts';
import type { Store } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';
import {
  broadcastCompleted,
  contactCreated,
  flowCompleted,
  orderPaid,
  receipt,
  received,
  type TriggerContext,
  type Triggered,
} from './events.ts';
import { type FieldsOf, readFields, whyNotFields } from './fields.ts';

interface TriggerOptions {
  readonly store: Store;
  readonly ids: Ids;
  readonly clock: Clock;
}

export function createTrigger({ store, ids, clock }: TriggerOptions): Trigger {
  const { state, commit } = store;
  return (event, fields = {}) => {
    let { serial } = state;
    const newId = (prefix: string) => ids.id(prefix, ++serial);
    const context = { state, now: clock.now(), newId, random: ids.random(serial) };
    const triggered = run(event, read(event, fields), context);
    for (const batch of batches(triggered.changes)) commit(batch);
    const events = triggered.changes.flatMap((change) => (change.type === 'event' ? [change.event] : []));
    return { ...triggered.ids, events };
  };
}

type Handlers = { readonly [E in EventName]: (fields: FieldsOf<E>, context: TriggerContext) => Triggered };

const handlers: Handlers = {
  'message.received': received,
  'message.delivered': (fields, context) => receipt('message.delivered', fields, context),
  'message.read': (fields, context) => receipt('message.read', fields, context),
  'message.failed': (fields, context) => receipt('message.failed', fields, context),
  'flow.completed': flowCompleted,
  'broadcast.completed': broadcastCompleted,
  'contact.created': contactCreated,
  'order.paid': orderPaid,
};

function run<E extends EventName>(event: E, fields: FieldsOf<E>, context: TriggerContext): Triggered {
  return handlers[event](fields, context);
}

function read<E extends EventName>(event: E, fields: Readonly<Record<string, unknown>>): FieldsOf<E> {
  const problem = whyNotFields(event, Object.keys(fields));
  if (problem !== undefined) throw new Refusal(400, problem);
  return readOrRefuse(() => readFields(event, fields));
}
