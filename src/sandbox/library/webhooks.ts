import { events } from '../../contract/events.ts';
import type { DeliveryRow } from '../events/deliveries.ts';
import type { Sandbox as Service } from '../sandbox.ts';
import type { WebhookRow } from '../events/webhooks.ts';
import { type Check, checkGiven, listOf, plainly } from './argument-checks.ts';
import type { Delivery, NewWebhook, SandboxWebhooks, Webhook } from './types.ts';

const text: Check = (value) => (typeof value === 'string' ? undefined : 'is a text');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'is true or false');
const parts = {
  url: text,
  events: listOf(Object.keys(events)),
  secret: text,
  external: flag,
  catchUp: flag,
} as const satisfies Record<keyof NewWebhook, Check>;

export function webhooksOf({ webhooks }: Service): SandboxWebhooks {
  return {
    add: (given) =>
      plainly('webhooks.add', () => {
        checkGiven('webhooks.add', given, parts);
        return webhooks.add(given).id;
      }),
    list: () => webhooks.list().map(webhookOf),
    remove: (which) => void plainly('webhooks.remove', () => webhooks.remove(which)),
    rotate: (which) => plainly('webhooks.rotate', () => webhooks.rotate(which).secret),
  };
}

/** What nobody was registered for is an event, and on its way to nobody. */
export function deliveriesOf({ deliveries }: Service): readonly Delivery[] {
  return deliveries().flatMap((row) => (row.state === 'queued' ? [] : [deliveryOf(row, row.state)]));
}

function webhookOf({ id, url, events, state, reason }: WebhookRow): Webhook {
  return { id, url, events, state, ...(reason !== undefined && { reason }) };
}

function deliveryOf(row: DeliveryRow, state: Delivery['state']): Delivery {
  const { id, event, type, url, attempts, last, next_at } = row;
  return {
    id,
    event,
    type,
    url: url ?? '',
    state,
    attempts,
    ...(last !== null && { last }),
    ...(next_at !== null && { nextAt: new Date(next_at) }),
  };
}
